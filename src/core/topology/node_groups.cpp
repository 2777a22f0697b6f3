// SPDX-License-Identifier: BSD-3-Clause
#include "topology/node_groups.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace thalweg::topology {

std::int32_t NodeGroups::place(Rank rank) const {
  const std::vector<Rank>& group_members = members_with(rank);
  return static_cast<std::int32_t>(std::ranges::lower_bound(group_members, rank) - group_members.begin());
}

bool NodeGroups::contiguous() const {
  return std::ranges::is_sorted(group_of);
}

NodeGroups node_groups(std::int32_t ranks, const std::vector<std::int32_t>* nodes, Rank root) {
  THALWEG_ASSERT(light, nodes == nullptr || std::ssize(*nodes) == ranks);
  THALWEG_ASSERT(light, root < ranks);
  NodeGroups groups;
  std::vector<std::int32_t> index_of_node;
  groups.group_of.reserve(static_cast<std::size_t>(ranks));
  for (Rank rank = 0; rank < ranks; ++rank) {
    const std::size_t node =
        nodes == nullptr ? 0 : static_cast<std::size_t>((*nodes)[static_cast<std::size_t>(rank)]);
    if (node >= index_of_node.size())
      index_of_node.resize(node + 1, -1);
    if (index_of_node[node] < 0) {
      index_of_node[node] = groups.count();
      groups.members.emplace_back();
      groups.leaders.push_back(rank);
    }
    groups.group_of.push_back(index_of_node[node]);
    groups.members[static_cast<std::size_t>(index_of_node[node])].push_back(rank);
  }
  if (root >= 0)
    groups.leaders[static_cast<std::size_t>(groups.group(root))] = root;
  return groups;
}

std::vector<std::int32_t> sockets_across_nodes(std::span<const std::int32_t> nodes,
                                               std::span<const std::int32_t> sockets) {
  if (nodes.size() != sockets.size())
    return {};
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> numbers;
  std::vector<std::int32_t> found;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    found.push_back(
        numbers.try_emplace({nodes[rank], sockets[rank]}, static_cast<std::int32_t>(numbers.size()))
            .first->second);
  const std::set<std::int32_t> different(nodes.begin(), nodes.end());
  return numbers.size() > different.size() ? found : std::vector<std::int32_t>{};
}

} // namespace thalweg::topology
