// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/barrier/tree.hpp"
#include "strategies/host_tree.hpp"

namespace thalweg::strategies::barrier {

Strategy nic() {
  return {.name = "nic",
          .operation = Operation::barrier,
          .summary = "tokens up and down a tree of nodes, in the network devices' packet path: a rank starts "
                     "it and looks for the end",
          .wins_when =
              "one or few ranks a node on Ethernet, where each host has an agent (thalweg nic serve)",
          .source = "Zhang 2002, section 3.3.3 (gather, then broadcast, on the network interface)",
          .parameters = {host_tree_radix(), host_tree_where()},
          .uses_nodes = true,
          .offloads = true,
          .append = [](Builder& builder) {
            const topology::TreeNode node = host_tree_node(builder);
            append_arrival(builder, node);
            append_release(builder, node);
          }};
}

} // namespace thalweg::strategies::barrier
