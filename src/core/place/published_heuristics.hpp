// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Heuristics as they were published, to compare with. They are blind to bytes where their sources are.

#include "pattern/matrix.hpp"
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
/// "topomap": topo_map(). "grasp": grasp(), 100 rounds; "grasp-near": near_grasp(). "hybrid": hybrid().
/// Ties go to the lowest number; a pattern in pieces begins again with what is left. Throws Error for another
/// name. As many vertices as slots. mahd: O(slots * (slots + edges)); emahd: times the slots.
Mapping literal(std::string_view heuristic, const Graph& graph, const Distances& distances);
std::vector<std::string_view> literals();

/// "mahd" from a given first slot.
Mapping mahd_from(const Graph& graph, const Distances& distances, std::int32_t slot);

/// GRASP for the quadratic assignment problem: random greedy constructions, each with a local search behind
/// it. ACM Algorithm 754 (Resende, Pardalos and Li 1996), which Sudheer Kumar 2012, section 6.2.1 uses: two
/// tasks are put on two slots by one of the cheapest pairs of a flow and a distance, the others one after the
/// other by one of the cheapest pairs of task and slot; then swaps as long as one gains. The best of so many
/// rounds. Needs two slots at least. O(rounds * slots^3).
Mapping grasp(const Graph& graph, const Distances& distances, int rounds);

/// The same with candidates near what is placed: a task that talks to placed ones, among those with most
/// bytes to them, on a slot near theirs; then swaps that bring a task near one that it talks to. O(rounds *
/// edges * slots near * degree) and so much for each sweep of swaps that gains.
Mapping near_grasp(const Graph& graph, const Distances& distances, int rounds);

/// Partitions and GRASP, for more tasks than GRASP alone can do.
/// Sudheer Kumar 2012, section 6.2.3: tasks and slots in parts of about 125, parts onto parts by GRASP with
/// the mean hops and the bytes between them, then tasks onto slots within each pair of parts by GRASP. Bytes
/// that leave a part count for nothing inside of it. Parts of slots are halves of halves, as a partition by
/// small hops would keep far slots together. `rounds` are GRASP's. As many vertices as slots, two at least.
Mapping hybrid(const Graph& graph, const Distances& distances, int rounds);

/// LibTopoMap's greedy heuristic as its source has it.
/// Hoefler and Snir 2011, by the code of LibTopoMap: tasks by the heaviest edge that found them, each on the
/// free host nearest to where its component began, along links that become longer with the load that they are
/// given. So it is aware of contention; the paper's form begins each search where the last task went, this
/// one does not. O(tasks * links log links).
Mapping topo_map(const Graph& graph, const Distances& distances);

/// The published local search for the most loaded link.
/// LocalOpt (Sudheer Kumar 2012, section 7.2): from EMAHD's best mapping by the most loaded link, swaps as
/// long as one lowers that link's load, in the order of tasks' numbers. It stops where several links are
/// equally loaded.
Mapping local_opt(const pattern::Matrix& matrix, const Graph& graph, const Distances& distances);

} // namespace thalweg::place
