// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/host_tree.hpp"

namespace thalweg::strategies::broadcast {

namespace {

void append(Builder& b) {
  const topology::TreeNode node = host_tree_node(b);
  const auto message = schedule::output(0, b.pieces());
  b.receive(node.parent, message);
  b.round();
  for (const Rank child : node.children)
    b.send(child, message);
}

} // namespace

Strategy nic() {
  return {.name = "nic",
          .operation = Operation::broadcast,
          .summary =
              "down a tree of nodes, whose network devices keep and relay it: a rank takes it from its "
              "own when it comes",
          .wins_when =
              "short messages and late ranks on Ethernet, where each host has an agent (thalweg nic serve)",
          .source = "Zhang 2002, section 3.3.5 (broadcast with acknowledgements that go one hop)",
          .parameters = {host_tree_radix(), host_tree_where()},
          .uses_nodes = true,
          .offloads = true,
          .append = append};
}

} // namespace thalweg::strategies::broadcast
