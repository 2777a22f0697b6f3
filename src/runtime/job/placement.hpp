// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where the ranks of a job are: nodes, sockets, the cores that they may use, and whether some machine has
// more ranks than cores.

#include "base/rank.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace thalweg::job {

/// What each rank tells the others at the start; plain bytes on the wire.
struct RankPlace {
  std::uint64_t machine = 0; ///< equal on the ranks of one booted machine, which share its cores
  std::uint64_t node = 0;    ///< equal on the ranks of one host of it: containers, the lab's hosts
  std::array<std::uint64_t, 4>
      cores{}; ///< set of cores it may run on (the machine's first 256; beyond, folded)
  std::uint32_t quota_centicores = UINT32_MAX; ///< the control group's limit, in hundredths of a core
  std::int32_t socket = -1;                    ///< that has all of these cores, or -1
  std::uint32_t aggregator = 0;                ///< that its host's agent knows (room nic); 0: none
  std::int64_t gpu_runtime = 0;                ///< of a GPU, loaded into the process; 0: none

  static constexpr std::uint32_t unreported = UINT32_MAX; ///< aggregator: the agent has not answered yet
};

RankPlace this_place();
/// This host's name.
std::string host_name();

struct Placement {
  std::vector<int> nodes; ///< node of each rank: small integers in order of first appearance
  int node_count = 0;
  std::vector<std::uint64_t> node_ids; ///< RankPlace::node of each node
  /// Socket of each rank, numbered across nodes; a node's ranks that may move between sockets count as one
  /// more. Empty where no node has ranks on several.
  std::vector<int> sockets;
  /// Switch of each rank's node, numbered in order of first appearance, as hosts' agents name them. Empty
  /// where some name none, or all the same.
  std::vector<int> leaves;
  bool oversubscribed = false;     ///< a machine has more ranks than cores
  int oversubscribed_ranks = 0;    ///< and how many it has
  double oversubscribed_cores = 0; ///< of each
  int min_on_node = 0;             ///< ranks
  int max_on_node = 0;
  int cores = 0; ///< of the first rank's machine that ranks may run on, and the control group's limit there
  std::uint32_t quota_centicores = UINT32_MAX;
};

Placement place_ranks(std::span<const RankPlace> ranks);

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

/// The number of the socket that has all of these cores (ascending), or -1. `folder` is where the kernel
/// tells of cores: /sys/devices/system/cpu.
int socket_of(std::span<const std::size_t> cores, const std::string& folder);

} // namespace thalweg::job
