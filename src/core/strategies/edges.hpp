// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank's edges in a neighborhood collective, which are all that it knows of the graph.

#include "strategies/strategy.hpp"

#include <functional>

namespace thalweg::strategies {

struct Edge {
  Rank peer = -1;
  std::int32_t unit = 0; ///< position among the rank's destinations (for sends) or sources (for receives)
};

/// Edges between two ranks meet in the order of their lists, the n-th with the n-th; so do a rank's edges to
/// itself.
struct Edges {
  std::vector<Edge> sends = {};
  std::vector<Edge> receives = {};
  /// Edges to itself: position among the destinations and among the sources.
  std::vector<std::pair<std::int32_t, std::int32_t>> loops = {};
};

/// In the order of the rank's lists.
Edges edges_of(const Builder& b);

/// Sends by how far ahead the peer is, receives by how far behind, going round. All ranks then meet distance
/// by distance.
void sort_by_distance(Edges& edges, Rank rank, std::int32_t ranks);

/// Appends a copy a loop, a receive and a send an edge, at most `window` of each under way at once (0: all).
/// `sent` says what goes along the edge of that destination. A window is safe for edges sorted by distance
/// only: of the messages that are not through yet, both ends of the nearest have then come to it.
void append_edges(Builder& b, const Edges& edges, std::size_t window,
                  const std::function<schedule::BlockList(std::int32_t unit)>& sent);

} // namespace thalweg::strategies
