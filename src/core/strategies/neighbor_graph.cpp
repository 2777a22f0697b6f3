// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/neighbor_graph.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <numeric>

namespace thalweg::strategies {

namespace {

/// The positions of each rank in a list, in the order of ranks.
std::vector<std::int32_t> by_peer(const std::vector<Rank>& peers) {
  std::vector<std::int32_t> units(peers.size());
  std::iota(units.begin(), units.end(), 0);
  std::ranges::stable_sort(units, {},
                           [&](std::int32_t unit) { return peers[static_cast<std::size_t>(unit)]; });
  std::erase_if(units, [&](std::int32_t unit) { return peers[static_cast<std::size_t>(unit)] < 0; });
  return units;
}

} // namespace

bool has_both_ends(const std::vector<schedule::Neighborhood>& neighborhoods) {
  std::vector<std::vector<Rank>> senders(neighborhoods.size());
  for (Rank from = 0; from < std::ssize(neighborhoods); ++from)
    for (const Rank to : neighborhoods[static_cast<std::size_t>(from)].destinations) {
      if (to >= std::ssize(neighborhoods))
        return false;
      if (to >= 0)
        senders[static_cast<std::size_t>(to)].push_back(from);
    }
  for (std::size_t to = 0; to < neighborhoods.size(); ++to) {
    std::vector<Rank> sources = neighborhoods[to].sources;
    std::erase_if(sources, [](Rank source) { return source < 0; });
    std::ranges::sort(sources);
    if (sources != senders[to]) // which come by sender
      return false;
  }
  return true;
}

// Edges come by sender, so that each receiver meets its sources in the order of their ranks.
std::vector<GraphEdge> graph_edges(const std::vector<schedule::Neighborhood>& neighborhoods) {
  std::vector<std::vector<std::int32_t>> sources;
  for (const schedule::Neighborhood& own : neighborhoods)
    sources.push_back(by_peer(own.sources));
  std::vector<std::size_t> met(neighborhoods.size());
  std::vector<GraphEdge> edges;
  for (Rank from = 0; from < std::ssize(neighborhoods); ++from) {
    const std::vector<Rank>& destinations = neighborhoods[static_cast<std::size_t>(from)].destinations;
    for (std::int32_t unit = 0; unit < std::ssize(destinations); ++unit) {
      const Rank to = destinations[static_cast<std::size_t>(unit)];
      if (to < 0)
        continue;
      const auto receiver = static_cast<std::size_t>(to);
      const std::int32_t source = sources[receiver].at(met[receiver]++);
      THALWEG_ASSERT(normal, neighborhoods[receiver].sources[static_cast<std::size_t>(source)] == from);
      edges.push_back({from, to, unit, source});
    }
  }
  return edges;
}

} // namespace thalweg::strategies
