// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/subtree_messages.hpp"

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

/// Scatters down the tree of that shape over relative ranks. Inner ranks keep their subtree's blocks in
/// scratch, each written once, and pass a message on when the last of its blocks is there. The farthest
/// ranks' blocks go first.
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

} // namespace

Strategy kary() {
  return tree_messages(Operation::scatter, topology::TreeShape::kary,
                       "scatters down a k-ary tree over relative ranks", append_tree);
}

Strategy knomial() {
  return tree_messages(Operation::scatter, topology::TreeShape::knomial,
                       "scatters down a k-nomial tree over relative ranks; radix 2 is the binomial tree",
                       append_tree);
}

Strategy chain() {
  return tree_messages(Operation::scatter, topology::TreeShape::chain,
                       "scatters down a chain of all ranks, passing messages on as they come", append_tree);
}

Strategy flat() {
  return tree_messages(Operation::scatter, topology::TreeShape::flat, "the root sends to every rank itself",
                       append_tree);
}

Strategy fork() {
  return tree_messages(
      Operation::scatter, topology::TreeShape::fork,
      "scatters down `chains` chains that hang on the root, passing messages on as they come", append_tree);
}

Strategy bine() {
  return tree_messages(
      Operation::scatter, topology::TreeShape::bine,
      "scatters down a binomial tree whose edges alternate direction and are a third shorter", append_tree);
}

} // namespace thalweg::strategies::scatter
