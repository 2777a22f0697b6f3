// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The slots that a running job has, and an order of its ranks that is better beyond doubt: for calls in which
// nothing can be tried.

#include "machine/allocation.hpp"
#include "place/map.hpp"
#include "topology/network.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace thalweg::place {

/// One slot for each of a job's ranks, in their order. `node_of` has each rank's node, 0 .. nodes-1. Where
/// the network between them is known, a slot's place is its node's there; else each node is at an equal
/// distance from all others, which is what matters most. Throws Error for a node that the network has no
/// place for.
machine::Allocation job_allocation(const topology::NodePlaces& known, std::span<const int> node_of,
                                   std::int32_t nodes);

/// Few bytes on few links, and no link that all wait for.
constexpr Goal sure_goal{.hop_bytes = 1, .contention = 1};
constexpr double sure_search_s = 0.05;
/// What is predicted has to be much, where nobody tries it.
constexpr double sure_gain = 0.2;

struct SureOrder {
  Slots slot_of;   ///< the slot (old rank) of each new rank; empty: ranks stay
  Result found;    ///< by the search; has no slots where there was none
  std::string why; ///< in words, for people
};

/// By what the ranks send. Renumbers where that is predicted to save at least the part `gain` of the goal,
/// and neither hop-bytes nor the most loaded link get worse. Throws Error as map() does.
SureOrder sure_order(const pattern::Pattern& pattern, const machine::Allocation& allocation,
                     const Options& options = {.goal = sure_goal, .seconds = sure_search_s},
                     double gain = sure_gain);

} // namespace thalweg::place
