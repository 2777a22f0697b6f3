// SPDX-License-Identifier: BSD-3-Clause
#include "job/node_members.hpp"

#include "base/assertion.hpp"

namespace thalweg::job {

NodeMembers node_members(std::span<const int> nodes, Rank rank) {
  THALWEG_ASSERT(light, rank >= 0 && static_cast<std::size_t>(rank) < nodes.size());
  NodeMembers members;
  const int node = nodes[static_cast<std::size_t>(rank)];
  for (Rank other = 0; static_cast<std::size_t>(other) < nodes.size(); ++other) {
    if (other == rank)
      members.own = members.count();
    if (nodes[static_cast<std::size_t>(other)] == node)
      members.ranks.push_back(other);
  }
  return members;
}

std::vector<Rank> numbers_on_node(const NodeMembers& members, std::int32_t group_ranks) {
  std::vector<Rank> numbers(static_cast<std::size_t>(group_ranks), -1);
  for (Rank member = 0; member < members.count(); ++member)
    numbers[static_cast<std::size_t>(members.ranks[static_cast<std::size_t>(member)])] = member;
  return numbers;
}

} // namespace thalweg::job
