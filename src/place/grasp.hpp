#pragma once

// The published dense GRASP for the quadratic assignment problem, to compare with.

#include "place/distances.hpp"
#include "place/graph.hpp"
#include "place/mapping.hpp"

namespace thalweg::place {

/// ACM Algorithm 754 (Resende, Pardalos and Li 1996), which Sudheer Kumar 2012, section 6.2.1 uses: two tasks
/// are put on two slots by one of the cheapest pairs of a flow and a distance, the others one after the other
/// by one of the cheapest pairs of task and slot; then swaps as long as one gains. The best of so many
/// rounds. Needs two slots at least. O(rounds * slots^3).
Mapping grasp(const Graph& graph, const Distances& distances, int rounds);

} // namespace thalweg::place
