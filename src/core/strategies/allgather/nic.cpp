// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/allgather/layout.hpp"
#include "strategies/host_tree.hpp"

namespace thalweg::strategies::allgather {

namespace {

schedule::BlockList blocks_below(const Builder& b, Rank rank) {
  schedule::BlockList blocks;
  for (const Rank below : host_subtree(b, rank))
    blocks = std::move(blocks) + schedule::output(below);
  return blocks;
}

void append(Builder& b) {
  const topology::TreeNode node = host_tree_node(b);
  append_own(b);
  for (const Rank child : node.children)
    b.receive(child, blocks_below(b, child));
  b.round();
  if (node.parent >= 0)
    b.send(node.parent, blocks_below(b, b.rank()));
  b.round();
  b.receive(node.parent, blocks_of(0, b.ranks()));
  b.round();
  for (const Rank child : node.children)
    b.send(child, blocks_of(0, b.ranks()));
}

} // namespace

Strategy nic() {
  return {.name = "nic",
          .operation = Operation::allgather,
          .summary = "blocks up a tree of nodes, where the network devices put them together, and all down",
          .wins_when = "a few bytes on Ethernet, where each host has an agent (thalweg nic serve)",
          .source = "Zhang 2002, section 5.2 (future work)",
          .parameters = {host_tree_radix(), host_tree_where()},
          .in_place = true,
          .uses_nodes = true,
          .offloads = true,
          .append = append};
}

} // namespace thalweg::strategies::allgather
