// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/host_tree.hpp"

namespace thalweg::strategies::reduce {

namespace {

void append(Builder& b) {
  const topology::TreeNode node = host_tree_node(b);
  const auto own = schedule::input(0, b.pieces());
  if (node.children.empty() && node.parent >= 0) {
    b.send(node.parent, own);
    return;
  }
  const auto sum = node.parent < 0 ? schedule::output(0, b.pieces())
                                   : schedule::scratch(b.scratch_blocks(b.canonical()), b.pieces());
  b.copy(own, sum);
  for (const Rank child : node.children) {
    b.round();
    b.receive_combine(child, sum, schedule::Side::right);
  }
  b.round();
  b.send(node.parent, sum);
}

} // namespace

Strategy nic() {
  return {.name = "nic",
          .operation = Operation::reduce,
          .summary = "vectors up a tree of nodes, where the network devices combine them",
          .wins_when = "a few numbers on Ethernet, where each host has an agent (thalweg nic serve)",
          .source = "Zhang 2002, section 5.2 (combining with predefined operators, as further work)",
          .parameters = {host_tree_radix(), host_tree_where(), host_tree_sum()},
          .in_place = true,
          .uses_nodes = true,
          .offloads = true,
          .append = append};
}

} // namespace thalweg::strategies::reduce
