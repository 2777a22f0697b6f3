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
  return {.name = "kary",
          .operation = Operation::gather,
          .summary = "gathers up a k-ary tree over relative ranks",
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
          .operation = Operation::gather,
          .summary = "gathers up a k-nomial tree over relative ranks; radix 2 is the binomial tree",
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
          .operation = Operation::gather,
          .summary = "gathers up a chain of all ranks, passing messages on as they come",
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
          .operation = Operation::gather,
          .summary = "every rank sends to the root itself",
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
          .operation = Operation::gather,
          .summary = "gathers up `chains` chains that hang on the root, passing messages on as they come",
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
          .operation = Operation::gather,
          .summary = "gathers up a binomial tree whose edges alternate direction and are a third shorter",
          .wins_when = "small blocks where crossing between groups of nodes is dear",
          .source = "De Sensi, Pichetti, Domke et al. 2025 (Bine trees)",
          .parameters = tree_message_parameters(topology::TreeShape::bine, 0),
          .in_place = true,
          .order_matters = true,
          .pieces = message_segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::bine); }};
}

} // namespace thalweg::strategies::gather
