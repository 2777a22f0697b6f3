// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// GRASP for the quadratic assignment problem, to compare with: random greedy constructions, each with a local
// search behind it. The dense one as it was published, and one for sparse patterns.

#include "place/distances.hpp"
#include "place/graph.hpp"
#include "place/mapping.hpp"

namespace thalweg::place {

/// ACM Algorithm 754 (Resende, Pardalos and Li 1996), which Sudheer Kumar 2012, section 6.2.1 uses: two tasks
/// are put on two slots by one of the cheapest pairs of a flow and a distance, the others one after the other
/// by one of the cheapest pairs of task and slot; then swaps as long as one gains. The best of so many
/// rounds. Needs two slots at least. O(rounds * slots^3).
Mapping grasp(const Graph& graph, const Distances& distances, int rounds);

/// The same with candidates near what is placed: a task that talks to placed ones, among those with most
/// bytes to them, on a slot near theirs; then swaps that bring a task near one that it talks to. O(rounds *
/// edges * slots near * degree) and so much for each sweep of swaps that gains.
Mapping near_grasp(const Graph& graph, const Distances& distances, int rounds);

} // namespace thalweg::place
