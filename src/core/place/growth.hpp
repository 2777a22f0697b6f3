// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A mapping that grows from one task on one slot: next comes the task with the heaviest traffic to those that
// have a slot, and it gets the slot from which that traffic has the fewest hops to go.
//
// Source: the greedy heuristics of Hoefler and Snir 2011 and of Sudheer Kumar 2012 (MAHD, section 6.2.2),
// with bytes in the queue's key and in the mean, as Glantz, Meyerhenke and Noe 2015 have them (greedyALL).

#include "place/distances.hpp"
#include "place/graph.hpp"
#include "place/mapping.hpp"

namespace thalweg::place {

/// Grows from `first`, put on `slot`; a task without bytes to those before goes to a slot near the middle of
/// what is left. As many vertices as slots. O(slots * (slots + edges)): for up to some thousand slots.
Mapping grown(const Graph& graph, const Distances& distances, std::int32_t first, std::int32_t slot);

/// The task with the heaviest traffic.
std::int32_t heaviest_task(const Graph& graph);

/// Slots by the sum of their hops to all others, the most central first.
std::vector<std::int32_t> central_slots(const Distances& distances);

} // namespace thalweg::place
