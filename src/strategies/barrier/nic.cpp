#include "strategies/barrier/tree.hpp"
#include "topology/node_groups.hpp"

namespace thalweg::strategies::barrier {

namespace {

// A leader's children: its node's other ranks, which its own card hears from, then the leaders below it.
void append(Builder& b) {
  const topology::NodeGroups groups = topology::node_groups(b.ranks(), b.problem().nodes.get());
  topology::TreeNode node;
  if (!groups.is_leader(b.rank())) {
    node.parent = groups.leader(b.rank());
  } else {
    const auto radix = static_cast<std::int32_t>(b.parameter("radix"));
    const topology::TreeNode among_leaders =
        topology::tree_node(topology::TreeShape::kary, groups.count(), radix, groups.group(b.rank()));
    if (among_leaders.parent >= 0)
      node.parent = groups.leaders[static_cast<std::size_t>(among_leaders.parent)];
    for (const Rank child : among_leaders.children)
      node.children.push_back(groups.leaders[static_cast<std::size_t>(child)]);
    for (const Rank member : groups.members_with(b.rank()))
      if (member != b.rank())
        node.children.push_back(member);
  }
  append_arrival(b, node);
  append_release(b, node);
}

} // namespace

Strategy nic() {
  return {.name = "nic",
          .operation = Operation::barrier,
          .summary =
              "tokens up and down a tree of nodes, in the network devices' packet path: a rank starts it and "
              "looks for the end",
          .wins_when =
              "one or few ranks a node on Ethernet, where each host has an agent (thalweg nic serve)",
          .source = "Zhang 2002, section 3.3.3 (gather, then broadcast, on the network interface)",
          .parameters = {{.name = "radix",
                          .default_value = 8,
                          .min = 2,
                          .max = 32,
                          .description = "how many nodes are below a node",
                          .proven_at = {2, 3}}},
          .uses_nodes = true,
          .offloads = true,
          .append = append};
}

} // namespace thalweg::strategies::barrier
