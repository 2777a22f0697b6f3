// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/subtree_messages.hpp"

namespace thalweg::strategies::gather {

using schedule::Buffer;

namespace {

/// Gathers up the tree of that shape over relative ranks. Inner ranks keep their subtree's blocks in scratch,
/// each written once, and pass a message on when the last of its blocks is there.
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

} // namespace

Strategy kary() {
  return tree_messages(Operation::gather, topology::TreeShape::kary,
                       "gathers up a k-ary tree over relative ranks", append_tree);
}

Strategy knomial() {
  return tree_messages(Operation::gather, topology::TreeShape::knomial,
                       "gathers up a k-nomial tree over relative ranks; radix 2 is the binomial tree",
                       append_tree);
}

Strategy chain() {
  return tree_messages(Operation::gather, topology::TreeShape::chain,
                       "gathers up a chain of all ranks, passing messages on as they come", append_tree);
}

Strategy flat() {
  return tree_messages(Operation::gather, topology::TreeShape::flat, "every rank sends to the root itself",
                       append_tree);
}

Strategy fork() {
  return tree_messages(Operation::gather, topology::TreeShape::fork,
                       "gathers up `chains` chains that hang on the root, passing messages on as they come",
                       append_tree);
}

Strategy bine() {
  return tree_messages(Operation::gather, topology::TreeShape::bine,
                       "gathers up a binomial tree whose edges alternate direction and are a third shorter",
                       append_tree);
}

} // namespace thalweg::strategies::gather
