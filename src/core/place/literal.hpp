// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Heuristics as they were published, to compare with. They are blind to bytes where their sources are.

#include "place/distances.hpp"
#include "place/graph.hpp"
#include "place/mapping.hpp"

#include <string_view>
#include <vector>

namespace thalweg::place {

/// "mahd": Sudheer Kumar 2012, section 6.2.2: the task with most neighbors first, on the most central slot;
/// then
///   tasks by their number of neighbors, each where its mapped neighbors are nearest in the mean.
/// "emahd-nodes", "emahd-tasks": the same from each slot, or each task; the best by hop-bytes.
/// "gge": the source's reading of greedy graph embedding: next to the neighbor that was mapped last.
/// "gge-edges": Hoefler and Snir 2011: tasks by the heaviest edge to one that is mapped, each on the free
/// slot
///   nearest to where the last one went.
/// "topomap": the greedy heuristic of LibTopoMap, of the same authors (topo_map.hpp).
/// "grasp": the dense GRASP of its section 6.2.1 (grasp.hpp), 100 rounds; "grasp-near": one for sparse
/// patterns. "hybrid": partitions and GRASP, its section 6.2.3 (hybrid.hpp). Ties go to the lowest number; a
/// pattern in pieces begins again with what is left. Throws Error for another name. As many vertices as
/// slots. mahd: O(slots * (slots + edges)); emahd: times the slots.
Mapping literal(std::string_view heuristic, const Graph& graph, const Distances& distances);
std::vector<std::string_view> literals();

/// "mahd" from a given first slot.
Mapping mahd_from(const Graph& graph, const Distances& distances, std::int32_t slot);

} // namespace thalweg::place
