// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/two_level_tree.hpp"

#include "strategies/leader_groups.hpp"
#include "strategies/segments.hpp"

namespace thalweg::strategies {

using topology::TreeNode;
using topology::TreeShape;

namespace {

constexpr TreeShape shapes[] = {TreeShape::flat, TreeShape::knomial, TreeShape::kary, TreeShape::chain};

Parameter shape_parameter(std::string_view name, std::string_view description) {
  return {.name = name,
          .kind = ParameterKind::choice,
          .max = 3,
          .description = description,
          .choices = {"flat", "knomial", "kary", "chain"},
          .proven_at = {1, 0, 2, 3}};
}

} // namespace

std::vector<Parameter> TwoLevelTree::parameters() {
  return {shape_parameter("between", "tree of the nodes"),
          shape_parameter("inside", "tree inside of a node"),
          {.name = "radix",
           .default_value = 2,
           .min = 2,
           .max = 1024,
           .description = "radix of k-nomial trees, children of a rank in k-ary ones",
           .proven_at = {3, 4}},
          level_parameter()};
}

// A chain gives every link one copy of the message, and a leader reaches all of its node at once.
std::vector<Parameter> TwoLevelTree::pipeline_parameters() {
  std::vector<Parameter> result = parameters();
  result.front().default_value = 3;
  result.push_back(segment_parameter(32 << 10));
  result.push_back(piece_window_parameter());
  return result;
}

TwoLevelTree::TwoLevelTree(const Problem& problem)
    : groups_(*leader_groups(problem, problem.root)), root_group_(groups_.group(problem.root)),
      between_(shapes[problem.parameter("between")]), inside_(shapes[problem.parameter("inside")]),
      radix_(static_cast<std::int32_t>(problem.parameter("radix"))) {}

TreeNode TwoLevelTree::node(Rank rank) const {
  const std::int32_t group = groups_.group(rank);
  TreeNode within = topology::tree_node(inside_, size(group), radix_, place(rank));
  if (within.parent >= 0)
    within.parent = member(group, within.parent);
  for (Rank& child : within.children)
    child = member(group, child);
  if (!groups_.is_leader(rank))
    return within;
  TreeNode result = topology::tree_node(between_, groups_.count(), radix_, relative_group(rank));
  if (result.parent >= 0)
    result.parent = member(absolute_group(result.parent), 0);
  for (Rank& child : result.children)
    child = member(absolute_group(child), 0);
  result.children.insert(result.children.end(), within.children.begin(), within.children.end());
  return result;
}

std::vector<Rank> TwoLevelTree::subtree(Rank rank) const {
  std::vector<Rank> ranks;
  const std::int32_t group = groups_.group(rank);
  if (!groups_.is_leader(rank)) {
    for (const auto& [begin, end] : topology::subtree(inside_, size(group), radix_, place(rank)))
      for (Rank at = begin; at < end; ++at)
        ranks.push_back(member(group, at));
    return ranks;
  }
  for (const auto& [begin, end] : topology::subtree(between_, groups_.count(), radix_, relative_group(rank)))
    for (std::int32_t at = begin; at < end; ++at)
      append_members(absolute_group(at), ranks);
  return ranks;
}

void TwoLevelTree::append_members(std::int32_t group, std::vector<Rank>& ranks) const {
  for (Rank at = 0; at < size(group); ++at)
    ranks.push_back(member(group, at));
}

std::int32_t TwoLevelTree::size(std::int32_t group) const {
  return static_cast<std::int32_t>(groups_.members[static_cast<std::size_t>(group)].size());
}

Rank TwoLevelTree::member(std::int32_t group, Rank at) const {
  const Rank leader = groups_.leaders[static_cast<std::size_t>(group)];
  const std::int32_t index = (at + groups_.place(leader)) % size(group);
  return groups_.members[static_cast<std::size_t>(group)][static_cast<std::size_t>(index)];
}

Rank TwoLevelTree::place(Rank rank) const {
  const std::int32_t members = size(groups_.group(rank));
  return (groups_.place(rank) - groups_.place(groups_.leader(rank)) + members) % members;
}

std::int32_t TwoLevelTree::absolute_group(std::int32_t relative) const {
  return (relative + root_group_) % groups_.count();
}

std::int32_t TwoLevelTree::relative_group(Rank rank) const {
  return (groups_.group(rank) - root_group_ + groups_.count()) % groups_.count();
}

} // namespace thalweg::strategies
