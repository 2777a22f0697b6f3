// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/barrier/tree.hpp"
#include "strategies/composition.hpp"
#include "strategies/leader_groups.hpp"

#include <array>

namespace thalweg::strategies::barrier {

namespace {

constexpr std::array<std::string_view, 5> choices{"dissemination", "recursive_doubling", "kary", "knomial",
                                                  "flat"};
constexpr Stage between{Operation::barrier, "between", choices, "the barrier between nodes"};

void append(Builder& b) {
  const auto found = leader_groups(b.problem());
  const topology::NodeGroups& groups = *found;
  const std::vector<Rank>& members = groups.members_with(b.rank());
  const auto radix = static_cast<std::int32_t>(b.parameter("radix"));
  topology::TreeNode node = topology::tree_node(
      topology::TreeShape::knomial, static_cast<std::int32_t>(members.size()), radix, groups.place(b.rank()));
  if (node.parent >= 0)
    node.parent = members[static_cast<std::size_t>(node.parent)];
  for (Rank& child : node.children)
    child = members[static_cast<std::size_t>(child)];

  append_arrival(b, node);
  if (groups.is_leader(b.rank()))
    between.append(b, {.problem = {}, .members = groups.leaders, .input_units = {}, .output_units = {}}, 0);
  append_release(b, node);
}

} // namespace

Strategy two_level() {
  return {.name = "two_level",
          .operation = Operation::barrier,
          .summary = "each node's ranks tell its first one; those meet in a barrier of their own and release "
                     "their nodes",
          .wins_when = "several ranks a node, where messages between nodes are dear",
          .source = "Nishtala 2009, section 6.1 (hierarchical barriers)",
          .parameters = {between.parameter(),
                         level_parameter(),
                         {.name = "radix",
                          .default_value = 8,
                          .min = 2,
                          .max = 1024,
                          .description = "k of the k-nomial tree inside of a node",
                          .proven_at = {2, 3}}},
          .uses_nodes = true,
          .unsupported_reason = unsupported_level_reason,
          .append = append};
}

} // namespace thalweg::strategies::barrier
