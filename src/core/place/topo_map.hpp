// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// LibTopoMap's greedy heuristic as its source has it, to compare with.

#include "place/distances.hpp"
#include "place/graph.hpp"
#include "place/mapping.hpp"

namespace thalweg::place {

/// Hoefler and Snir 2011, by the code of LibTopoMap: tasks by the heaviest edge that found them, each on the
/// free host nearest to where its component began, along links that become longer with the load that they are
/// given. So it is aware of contention; the paper's form begins each search where the last task went, this
/// one does not. O(tasks * links log links).
Mapping topo_map(const Graph& graph, const Distances& distances);

} // namespace thalweg::place
