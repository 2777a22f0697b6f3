// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/host_tree.hpp"
#include "strategies/subtree_messages.hpp"

namespace thalweg::strategies::scatter {

Strategy nic() {
  return {.name = "nic",
          .operation = Operation::scatter,
          .summary = "blocks down a tree of nodes, whose network devices keep and relay them: a rank takes "
                     "its own when it comes",
          .wins_when =
              "short blocks and late ranks on Ethernet, where each host has an agent (thalweg nic serve)",
          .source = "Zhang 2002, section 5.2 (future work)",
          .parameters = {host_tree_radix(), host_tree_where()},
          .in_place = true,
          .uses_nodes = true,
          .offloads = true,
          .append = [](Builder& b) {
            append_scatter(b, host_tree_node(b), [&](Rank rank) { return host_subtree(b, rank); });
          }};
}

} // namespace thalweg::strategies::scatter
