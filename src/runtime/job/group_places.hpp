// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where the ranks of a group are, by their ranks in it.

#include "base/rank.hpp"
#include "job/placement.hpp"
#include "topology/network.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace thalweg::job {

struct GroupPlaces {
  /// One number a rank. Problems of schedules share them.
  using Numbers = std::shared_ptr<const std::vector<std::int32_t>>;

  Numbers nodes;   ///< numbered in order of first appearance
  Numbers sockets; ///< null where no node has ranks on several
  Numbers leaves;  ///< the switch of each rank's node; null where not known, or one for all
  std::int32_t node_count = 0;
  topology::NodePlaces in_network = {}; ///< of these nodes
};

/// Of all ranks that were placed.
GroupPlaces places_of(const Placement& placement);

/// Of a part of them, `ranks` in its own order. `in_network` has the places of the whole's nodes.
GroupPlaces places_of_part(const Placement& whole, const topology::NodePlaces& in_network,
                           std::span<const Rank> ranks);

} // namespace thalweg::job
