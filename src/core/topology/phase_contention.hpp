// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Phases of messages on a network: how far a phase's messages share links, and phases that share fewer.

#include "topology/edge_coloring.hpp"
#include "topology/interconnect.hpp"

#include <span>
#include <vector>

namespace thalweg::topology {

/// Where each rank is among the interconnect's nodes.
struct RankSites {
  const Interconnect& network;
  std::span<const Place> place_of_rank;
};

/// The sum of n (n - 1) over all links of all phases, where n messages of a phase take a link; 0 exactly
/// where every phase is free of contention. Links of several capacities count by n over theirs.
double contention(const RankSites& sites, std::span<const Edge> edges, const EdgeColoring& coloring);

/// Gives edges other colors, of which there are as many as before, as long as that lessens the contention: a
/// message that shares a link changes its phase, and those in its way change theirs (Kempe 1879). A local
/// optimum, the same on every machine; what was given, where `work`, in links looked at, is used up first.
EdgeColoring with_less_contention(const RankSites& sites, std::span<const Edge> edges, EdgeColoring coloring,
                                  std::int64_t work = 10'000'000);

} // namespace thalweg::topology
