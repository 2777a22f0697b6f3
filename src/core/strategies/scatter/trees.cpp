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
  return {.name = "kary",
          .operation = Operation::scatter,
          .summary = "scatters down a k-ary tree over relative ranks",
          .wins_when = "many ranks and small blocks where the root is slow to send or receive",
          .source = "Nishtala 2009, chapter 5 (k-ary)",
          .parameters = tree_message_parameters(topology::TreeShape::kary, 0),
          .in_place = true,
          .order_matters = true,
          .pieces = message_segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::kary); }};
}

Strategy knomial() {
  return {.name = "knomial",
          .operation = Operation::scatter,
          .summary = "scatters down a k-nomial tree over relative ranks; radix 2 is the binomial tree",
          .wins_when = "small blocks",
          .source = "Nishtala 2009, chapter 5 (k-nomial); Thakur, Rabenseifner, Gropp 2005, section 4",
          .parameters = tree_message_parameters(topology::TreeShape::knomial, 0),
          .in_place = true,
          .order_matters = true,
          .pieces = message_segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::knomial); }};
}

Strategy chain() {
  return {.name = "chain",
          .operation = Operation::scatter,
          .summary = "scatters down a chain of all ranks, passing messages on as they come",
          .wins_when = "large blocks where only neighbors are well connected",
          .source = "Nishtala 2009, chapter 5 (chain)",
          .parameters = tree_message_parameters(topology::TreeShape::chain, 32 << 10),
          .in_place = true,
          .order_matters = true,
          .pieces = message_segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::chain); }};
}

Strategy flat() {
  return {.name = "flat",
          .operation = Operation::scatter,
          .summary = "the root sends to every rank itself",
          .wins_when = "large blocks, or few ranks",
          .source = "Nishtala 2009, chapter 5 (flat)",
          .parameters = tree_message_parameters(topology::TreeShape::flat, 0),
          .unequal_blocks = true,
          .in_place = true,
          .pieces = message_segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::flat); }};
}

Strategy fork() {
  return {.name = "fork",
          .operation = Operation::scatter,
          .summary = "scatters down `chains` chains that hang on the root, passing messages on as they come",
          .wins_when = "large blocks where only neighbors are well connected",
          .source = "Nishtala 2009, chapter 5 (fork)",
          .parameters = tree_message_parameters(topology::TreeShape::fork, 32 << 10),
          .in_place = true,
          .order_matters = true,
          .pieces = message_segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::fork); }};
}

Strategy bine() {
  return {.name = "bine",
          .operation = Operation::scatter,
          .summary = "scatters down a binomial tree whose edges alternate direction and are a third shorter",
          .wins_when = "small blocks where crossing between groups of nodes is dear",
          .source = "De Sensi, Pichetti, Domke et al. 2025 (Bine trees)",
          .parameters = tree_message_parameters(topology::TreeShape::bine, 0),
          .in_place = true,
          .order_matters = true,
          .pieces = message_segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::bine); }};
}

} // namespace thalweg::strategies::scatter
