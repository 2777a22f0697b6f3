// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rank.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::job {

/// The ranks of a group that are on this process's node.
struct NodeMembers {
  std::vector<Rank> ranks; ///< of the group, in order
  Rank own = 0;            ///< this process among them

  std::int32_t count() const { return static_cast<std::int32_t>(ranks.size()); }
};

/// `nodes[r]` is the node of rank r of the group; `rank` is this process's.
NodeMembers node_members(std::span<const int> nodes, Rank rank);

/// For each rank of the group its number among the members, or -1.
std::vector<Rank> numbers_on_node(const NodeMembers& members, std::int32_t group_ranks);

} // namespace thalweg::job
