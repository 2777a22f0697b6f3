// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/host_tree.hpp"

namespace thalweg::strategies::allreduce {

namespace {

void append(Builder& b) {
  const topology::TreeNode node = host_tree_node(b);
  const auto vector = schedule::output(0, b.pieces());
  b.copy(schedule::input(0, b.pieces()), vector);
  for (const Rank child : node.children) {
    b.round();
    b.receive_combine(child, vector, schedule::Side::right);
  }
  b.round();
  b.send(node.parent, vector);
  b.round();
  b.receive(node.parent, vector);
  b.round();
  for (const Rank child : node.children)
    b.send(child, vector);
}

} // namespace

Strategy nic() {
  return {.name = "nic",
          .operation = Operation::allreduce,
          .summary =
              "vectors up a tree of nodes, where the network devices combine them, and the result down",
          .wins_when = "a few numbers on Ethernet, where each host has an agent (thalweg nic serve)",
          .source = "Zhang 2002, section 3.3.4 (a barrier with a word and a maximum)",
          .parameters = {host_tree_radix(), host_tree_where(), host_tree_sum()},
          .in_place = true,
          .uses_nodes = true,
          .offloads = true,
          .append = append};
}

} // namespace thalweg::strategies::allreduce
