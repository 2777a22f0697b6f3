// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Mappings that are made without search, which searches then begin with: one that grows from a task on a
// slot, and one by halves of tasks and slots.

#include "base/random.hpp"
#include "place/distances.hpp"
#include "place/graph.hpp"
#include "place/mapping.hpp"

namespace thalweg::place {

/// Grows from one task on one slot: next comes the task with the heaviest traffic to those that have a slot,
/// and it gets the slot from which that traffic has the fewest hops to go.
///
/// Source: the greedy heuristics of Hoefler and Snir 2011 and of Sudheer Kumar 2012 (MAHD, section 6.2.2),
/// with bytes in the queue's key and in the mean, as Glantz, Meyerhenke and Noe 2015 have them (greedyALL).
///
/// Grows from `first`, put on `slot`; a task without bytes to those before goes to a slot near the middle of
/// what is left. As many vertices as slots. O(slots * (slots + edges)): for up to some thousand slots.
Mapping grown(const Graph& graph, const Distances& distances, std::int32_t first, std::int32_t slot);

/// The task with the heaviest traffic.
std::int32_t heaviest_task(const Graph& graph);

/// Slots by the sum of their hops to all others, the most central first.
std::vector<std::int32_t> central_slots(const Distances& distances);

/// Halves tasks and slots together until each task has its slot: the slots where the machine is widest, the
/// tasks where little is sent, and drawn to those outside that they talk to.
///
/// Source: Pellegrini 1994, "Static mapping by dual recursive bipartitioning"; here on the slots that a job
/// really has, with halves of exactly equal numbers of tasks and slots.
///
/// As many vertices as slots. O((slots + edges) * log^2): ten thousand tasks take some tenths of a second.
Mapping bisected(const Graph& graph, const Distances& distances, Random& random);

} // namespace thalweg::place
