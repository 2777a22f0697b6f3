// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/scatter/tree.hpp"

namespace thalweg::strategies::scatter {

using schedule::After;
using schedule::Buffer;
using schedule::StepId;

namespace {

/// The receives in which a message of a subtree below has come.
After sources_of(const SubtreeItems& theirs, std::int64_t message, const SubtreeItems& own,
                 const std::vector<StepId>& arrived) {
  After after;
  theirs.for_each_run(message, [&](std::int64_t item, std::int64_t count) {
    const std::int64_t first = own.position(item);
    for (std::int64_t m = own.message_of(first); m <= own.message_of(first + count - 1); ++m)
      if (const StepId step = arrived[static_cast<std::size_t>(m)]; after.empty() || after.back() != step)
        after.push_back(step);
  });
  return after;
}

} // namespace

void append_tree(Builder& b, topology::TreeShape shape) {
  const Problem& problem = b.problem();
  const Rank self = relative(problem, b.rank());
  const topology::TreeNode node = topology::tree_node(shape, problem.ranks, degree(problem, shape), self);
  const SubtreeItems own(problem, shape, self, b.pieces());
  const SubtreeMemory memory(b, own, Buffer::output, Buffer::input);

  std::vector<StepId> arrived(self == 0 ? 0 : static_cast<std::size_t>(own.messages()));
  if (self == 0)
    b.copy(schedule::input(b.root() * b.pieces(), b.pieces()), schedule::output(0, b.pieces()));
  else
    for (std::int64_t m = own.messages() - 1; m >= 0; --m)
      arrived[static_cast<std::size_t>(m)] = b.receive(absolute(problem, node.parent), memory.blocks(own, m));
  for (const Rank child : node.children) {
    const SubtreeItems theirs(problem, shape, child, b.pieces());
    for (std::int64_t m = theirs.messages() - 1; m >= 0; --m)
      b.send(absolute(problem, child), memory.blocks(theirs, m),
             self == 0 ? After{} : sources_of(theirs, m, own, arrived));
  }
}

} // namespace thalweg::strategies::scatter
