// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The graph of a neighborhood collective, for strategies that know all of it (Strategy::uses_graph).

#include "schedule/problem.hpp"

#include <vector>

namespace thalweg::strategies {

/// An edge: from whom to whom, and its position among the sender's destinations and the receiver's sources.
struct GraphEdge {
  Rank from = 0;
  Rank to = 0;
  std::int32_t destination = 0;
  std::int32_t source = 0;
};

/// Has each edge both of its ends, among the ranks that there are? Else the program's topology is none.
bool has_both_ends(const std::vector<schedule::Neighborhood>& neighborhoods);

/// All edges, by sender and then in the order of its list; parallel ones meet in the order of theirs. Those
/// that end at a grid's border are left out. O(E log degree).
std::vector<GraphEdge> graph_edges(const std::vector<schedule::Neighborhood>& neighborhoods);

} // namespace thalweg::strategies
