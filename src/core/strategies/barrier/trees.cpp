// SPDX-License-Identifier: BSD-3-Clause

// Barriers along a tree, up and down, and those of two levels, which have such a tree inside of each node.

#include "strategies/composition.hpp"
#include "strategies/tree_steps.hpp"

#include <array>

namespace thalweg::strategies::barrier {

namespace {

/// Tokens up and down the tree of that shape at rank 0.
void append_tree(Builder& b, topology::TreeShape shape) {
  const topology::TreeNode node = rooted_node(b, shape);
  append_arrival(b, node);
  append_release(b, node);
}

} // namespace

Strategy kary() {
  return {.name = "kary",
          .operation = Operation::barrier,
          .summary = "tokens up a k-ary tree, then down it",
          .wins_when = "many ranks on slow cores or offloaded to the network interface",
          .source = "Zhang 2002 (gather then broadcast, binary tree on relative ranks); Nishtala 2009",
          .parameters = degree_parameters(topology::TreeShape::kary),
          .order_matters = true,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::kary); }};
}

Strategy knomial() {
  return {.name = "knomial",
          .operation = Operation::barrier,
          .summary = "tokens up a k-nomial tree, then down it",
          .wins_when = "many ranks in shared memory",
          .source = "Nishtala 2009 (tree barriers)",
          .parameters = degree_parameters(topology::TreeShape::knomial),
          .order_matters = true,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::knomial); }};
}

Strategy flat() {
  return {.name = "flat",
          .operation = Operation::barrier,
          .summary = "every rank tells rank 0, which tells every rank",
          .wins_when = "few ranks, or more ranks than cores",
          .source = "Nishtala 2009 (flat)",
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::flat); }};
}

namespace {

constexpr std::array<std::string_view, 5> barriers{"dissemination", "recursive_doubling", "kary", "knomial",
                                                   "flat"};
constexpr Stage between{Operation::barrier, "between", barriers, "the barrier between nodes"};

void append_two_level(Builder& b) {
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
          .source = "Nishtala 2009 (hierarchical barriers)",
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
          .append = append_two_level};
}

} // namespace thalweg::strategies::barrier
