#include "strategies/host_tree.hpp"

#include "topology/node_groups.hpp"
#include "topology/tree.hpp"

namespace thalweg::strategies {

Parameter host_tree_radix() {
  return {.name = "radix",
          .default_value = 8,
          .min = 2,
          .max = 32,
          .description = "how many nodes are below a node",
          .proven_at = {2, 3}};
}

Parameter host_tree_where() {
  return {.name = "where",
          .kind = ParameterKind::choice,
          .default_value = 0,
          .min = 0,
          .max = 1,
          .description = "switch: a switch that aggregates joins the nodes, where their agents know of one",
          .choices = {"switch", "card"}};
}

namespace {

topology::NodeGroups groups_of(const Builder& b) {
  return topology::node_groups(b.ranks(), b.problem().nodes.get(), b.root());
}

} // namespace

topology::TreeNode host_tree_node(const Builder& b) {
  const topology::NodeGroups groups = groups_of(b);
  topology::TreeNode node;
  if (!groups.is_leader(b.rank())) {
    node.parent = groups.leader(b.rank());
    return node;
  }
  const std::int32_t first = groups.group(b.root());
  const auto leader_of = [&](Rank place) {
    return groups.leaders[static_cast<std::size_t>((place + first) % groups.count())];
  };
  const auto radix = static_cast<std::int32_t>(b.parameter("radix"));
  const topology::TreeNode among_leaders =
      topology::tree_node(topology::TreeShape::kary, groups.count(), radix,
                          (groups.group(b.rank()) + groups.count() - first) % groups.count());
  if (among_leaders.parent >= 0)
    node.parent = leader_of(among_leaders.parent);
  for (const Rank member : groups.members_with(b.rank()))
    if (member != b.rank())
      node.children.push_back(member);
  for (const Rank child : among_leaders.children)
    node.children.push_back(leader_of(child));
  return node;
}

std::vector<Rank> host_subtree(const Builder& b, Rank rank) {
  const topology::NodeGroups groups = groups_of(b);
  std::vector<Rank> found{rank};
  if (!groups.is_leader(rank))
    return found;
  const std::int32_t root = groups.group(b.root());
  const std::int32_t place = (groups.group(rank) + groups.count() - root) % groups.count();
  const auto radix = static_cast<std::int32_t>(b.parameter("radix"));
  for (const auto& [first, end] : topology::subtree(topology::TreeShape::kary, groups.count(), radix, place))
    for (std::int32_t below = first; below < end; ++below)
      for (const Rank member : groups.members[static_cast<std::size_t>((below + root) % groups.count())])
        if (member != rank)
          found.push_back(member);
  return found;
}

} // namespace thalweg::strategies
