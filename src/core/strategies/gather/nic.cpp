// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/host_tree.hpp"
#include "strategies/subtree_messages.hpp"

namespace thalweg::strategies::gather {

Strategy nic() {
  return {.name = "nic",
          .operation = Operation::gather,
          .summary = "blocks up a tree of nodes, where the network devices put them together",
          .wins_when = "a few bytes on Ethernet, where each host has an agent (thalweg nic serve)",
          .source = "Zhang 2002, section 5.2 (future work)",
          .parameters = {host_tree_radix(), host_tree_where()},
          .in_place = true,
          .uses_nodes = true,
          .offloads = true,
          .append = [](Builder& b) {
            append_gather(b, host_tree_node(b), [&](Rank rank) { return host_subtree(b, rank); });
          }};
}

} // namespace thalweg::strategies::gather
