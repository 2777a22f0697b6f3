// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/gather/tree.hpp"

namespace thalweg::strategies::gather {

using schedule::Buffer;

void append_tree(Builder& b, topology::TreeShape shape) {
  const Problem& problem = b.problem();
  const Rank self = relative(problem, b.rank());
  const topology::TreeNode node = topology::tree_node(shape, problem.ranks, degree(problem, shape), self);
  const SubtreeItems own(problem, shape, self, b.pieces());
  const SubtreeMemory memory(b, own, Buffer::input, Buffer::output);
  MessageNeeds needs(own);

  if (self == 0)
    b.copy(schedule::input(0, b.pieces()), schedule::output(b.root() * b.pieces(), b.pieces()));
  for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
    const SubtreeItems theirs(problem, shape, *child, b.pieces());
    for (std::int64_t m = 0; m < theirs.messages(); ++m) {
      const schedule::StepId arrived = b.receive(absolute(problem, *child), memory.blocks(theirs, m));
      if (self != 0)
        theirs.for_each_run(m,
                            [&](std::int64_t item, std::int64_t count) { needs.add(item, count, arrived); });
    }
  }
  for (std::int64_t m = 0; self != 0 && m < own.messages(); ++m)
    b.send(absolute(problem, node.parent), memory.blocks(own, m), needs.of(m));
}

} // namespace thalweg::strategies::gather
