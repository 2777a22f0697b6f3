// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages of a known graph in phases: in a phase each rank sends at most one message and receives at most
// one. That is an edge coloring of the bipartite multigraph of senders and receivers, which needs as many
// colors as its largest degree (Koenig 1916).

#include "base/rank.hpp"

#include <span>
#include <vector>

namespace thalweg::topology {

/// A message from one rank to another; parallel ones and those of a rank to itself count as any.
struct Edge {
  Rank from = 0;
  Rank to = 0;

  bool operator==(const Edge&) const = default;
};

struct EdgeColoring {
  /// The largest number of edges that one rank sends, or receives.
  std::int32_t colors = 0;
  /// Of each edge, from 0; two edges of one have different senders and different receivers.
  std::vector<std::int32_t> of_edge = {};
};

/// Colors edges between ranks 0 .. ranks-1; the same on every machine. `places` has a number for each rank,
/// empty: its own. The commonest differences of places, as a stencil has, are a color each as far as ranks
/// have them: cyclic shifts, which trees carry without contention (Zahavi 2010). All other edges get a color
/// that both ends have left, or make room along an alternating path (Diestel, Graph Theory, proposition
/// 5.3.1). O(E degree / 64 + E ranks) at worst, and O(E) for shifts. Memory: O(ranks degree).
EdgeColoring color_edges(std::int32_t ranks, std::span<const Edge> edges, std::span<const Rank> places = {});

/// The largest number of edges that one rank sends, or receives.
std::int32_t largest_degree(std::int32_t ranks, std::span<const Edge> edges);

} // namespace thalweg::topology
