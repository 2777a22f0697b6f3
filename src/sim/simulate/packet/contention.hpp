// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Is a permutation free of contention on a tree?

#include "simulate/packet/fabric.hpp"

#include <cstdint>
#include <span>

namespace thalweg::simulate::packet {

struct Contention {
  /// What the most loaded channel carries where routes go up by the destination's number (tree_routes.hpp).
  std::uint32_t by_destination = 0;
  /// Is there none, whichever ways up the switches choose? For that, all that enters a subtree has to come
  /// from one other subtree of its level: what comes from two may come down by the same channel. And a switch
  /// needs as many parents as it has children that send beyond it.
  bool is_free_any_way = true;
  /// Level and subtree where that fails first, from below; -1 where nothing does.
  std::int32_t level = -1;
  std::int64_t subtree = -1;
};

/// `destinations` of each node; who sends to itself sends nothing. Throws Error where the network is no tree,
/// or two nodes send to one. O(nodes * levels).
Contention find_contention(const Fabric& fabric, std::span<const std::uint32_t> destinations);

} // namespace thalweg::simulate::packet
