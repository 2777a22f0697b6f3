// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/leader_groups.hpp"
#include "strategies/subtree_messages.hpp"
#include "strategies/two_level_tree.hpp"

namespace thalweg::strategies::scatter {

namespace {

void append(Builder& b) {
  const TwoLevelTree tree(b.problem());
  append_scatter(b, tree.node(b.rank()), [&](Rank rank) { return tree.subtree(rank); });
}

} // namespace

Strategy two_level() {
  return {.name = "two_level",
          .operation = Operation::scatter,
          .summary =
              "the root sends each node's blocks as one message to one of its ranks, which deals them out",
          .wins_when = "several ranks a node and small blocks, where messages between nodes are dear",
          .source = "Nishtala 2009, section 5.3 (hierarchy); Karonis et al. 2000",
          .parameters = TwoLevelTree::parameters(),
          .in_place = true,
          .uses_nodes = true,
          .unsupported_reason = unsupported_level_reason,
          .append = append};
}

} // namespace thalweg::strategies::scatter
