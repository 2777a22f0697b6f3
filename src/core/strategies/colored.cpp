// SPDX-License-Identifier: BSD-3-Clause

// Neighborhood collectives in phases of an edge coloring (topology/edge_coloring.hpp): in a phase no rank
// sends twice or receives twice, so that nobody's link is shared. There are as few phases as that can have.

#include "base/assertion.hpp"
#include "strategies/neighbor_graph.hpp"
#include "strategies/pacing.hpp"
#include "topology/edge_coloring.hpp"
#include "topology/network.hpp"
#include "topology/phase_contention.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>

namespace thalweg::strategies {

namespace {

using schedule::After;
using schedule::BlockList;
using schedule::EdgePhases;
using schedule::PhasesOfEdges;

// Messages between ranks. What a rank has for itself is copied, and has no phase.
std::vector<topology::Edge> messages(const std::vector<GraphEdge>& edges) {
  std::vector<topology::Edge> found;
  for (const GraphEdge& edge : edges)
    if (edge.from != edge.to)
      found.push_back({edge.from, edge.to});
  return found;
}

// Beyond so many links times phases nobody looks at them.
constexpr std::int64_t max_link_phases = std::int64_t{1} << 22;

struct Sites {
  std::shared_ptr<const topology::Interconnect> network;
  std::vector<topology::Place> places; ///< of ranks
  std::vector<Rank> positions;         ///< ranks by place: a shift of all of them is one of nodes, or near it
};

// Of an unknown network, a star: nodes' own links are shared in any.
Sites sites_of(const std::vector<std::int32_t>& nodes, const topology::NodePlaces& node_places) {
  const std::int32_t count = std::ranges::max(nodes) + 1;
  const topology::LocatedNodes located = topology::locate(node_places, count);
  const bool is_known = located.network && std::ssize(located.places) == count;
  Sites sites;
  sites.network = is_known ? located.network->interconnect()
                           : topology::parse_interconnect(fmt::format("star:{}", count));
  std::map<std::int32_t, std::int32_t> met;
  std::vector<std::int32_t> numbers;
  for (const std::int32_t node : nodes) {
    sites.places.push_back(is_known ? located.places[static_cast<std::size_t>(node)] : node);
    numbers.push_back(met[node]++);
  }
  const std::int32_t node_ranks = std::ranges::max(numbers) + 1;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    sites.positions.push_back(static_cast<Rank>(sites.places[rank] * node_ranks + numbers[rank]));
  return sites;
}

// Phases in which few messages share a link.
topology::EdgeColoring color(const Problem& problem, std::span<const topology::Edge> edges,
                             const topology::NodePlaces& node_places) {
  if (!problem.nodes || std::ranges::max(*problem.nodes) == 0)
    return topology::color_edges(problem.ranks, edges);
  const Sites sites = sites_of(*problem.nodes, node_places);
  topology::EdgeColoring coloring = topology::color_edges(problem.ranks, edges, sites.positions);
  if (sites.network->links() * coloring.colors > max_link_phases)
    return coloring;
  return topology::with_less_contention({*sites.network, sites.places}, edges, std::move(coloring));
}

std::shared_ptr<const PhasesOfEdges> find_phases(const Problem& problem,
                                                 const topology::NodePlaces& node_places) {
  const std::vector<GraphEdge> edges = graph_edges(*problem.neighborhoods);
  const topology::EdgeColoring coloring = color(problem, messages(edges), node_places);
  auto phases = std::make_shared<PhasesOfEdges>();
  phases->count = coloring.colors;
  for (const schedule::Neighborhood& own : *problem.neighborhoods)
    phases->of_rank.push_back({.sources = std::vector<std::int32_t>(own.sources.size(), -1),
                               .destinations = std::vector<std::int32_t>(own.destinations.size(), -1)});
  std::size_t next = 0;
  for (const GraphEdge& edge : edges)
    if (edge.from != edge.to) {
      const std::int32_t phase = coloring.of_edge[next++];
      phases->of_rank[static_cast<std::size_t>(edge.from)]
          .destinations[static_cast<std::size_t>(edge.destination)] = phase;
      phases->of_rank[static_cast<std::size_t>(edge.to)].sources[static_cast<std::size_t>(edge.source)] =
          phase;
    }
  return phases;
}

// Coloring keeps a table of all ranks' colors.
std::optional<std::string> too_large(const Problem& problem) {
  if (!problem.neighborhoods)
    return "coloring needs the graph of neighbors";
  constexpr std::int64_t max_places = std::int64_t{1} << 24;
  std::size_t degree = 0;
  for (const schedule::Neighborhood& own : *problem.neighborhoods)
    degree = std::max({degree, own.sources.size(), own.destinations.size()});
  if (static_cast<std::int64_t>(degree) * problem.ranks <= max_places)
    return std::nullopt;
  return fmt::format("{} ranks with up to {} neighbors are too many to be colored", problem.ranks, degree);
}

/// What a rank sends and receives in a phase, by its unit; -1: nothing.
struct PhaseUnits {
  std::int32_t sent = -1;
  std::int32_t received = -1;
};

std::vector<PhaseUnits> units_by_phase(const PhasesOfEdges& phases, Rank rank) {
  std::vector<PhaseUnits> units(static_cast<std::size_t>(phases.count));
  const EdgePhases& own = phases.of_rank[static_cast<std::size_t>(rank)];
  for (std::int32_t unit = 0; unit < std::ssize(own.destinations); ++unit)
    if (const std::int32_t phase = own.destinations[static_cast<std::size_t>(unit)]; phase >= 0)
      units[static_cast<std::size_t>(phase)].sent = unit;
  for (std::int32_t unit = 0; unit < std::ssize(own.sources); ++unit)
    if (const std::int32_t phase = own.sources[static_cast<std::size_t>(unit)]; phase >= 0)
      units[static_cast<std::size_t>(phase)].received = unit;
  return units;
}

void copy_own(Builder& b, const std::function<BlockList(std::int32_t unit)>& sent) {
  const schedule::Neighborhood& own = (*b.problem().neighborhoods)[static_cast<std::size_t>(b.rank())];
  std::int32_t source = -1;
  for (std::int32_t unit = 0; unit < std::ssize(own.destinations); ++unit)
    if (own.destinations[static_cast<std::size_t>(unit)] == b.rank()) {
      do
        ++source;
      while (own.sources.at(static_cast<std::size_t>(source)) != b.rank());
      b.copy(sent(unit), schedule::output(source));
    }
}

/// `sent` says what goes along the edge of that destination.
void append_colored(Builder& b, const std::function<BlockList(std::int32_t unit)>& sent) {
  const schedule::Neighborhood& own = (*b.problem().neighborhoods)[static_cast<std::size_t>(b.rank())];
  THALWEG_ASSERT(light, b.problem().phases != nullptr);
  const std::vector<PhaseUnits> phases = units_by_phase(*b.problem().phases, b.rank());
  copy_own(b, sent);
  append_paced(b, phases.size(), pace_of(b), [&](std::size_t phase, const After& after) {
    const auto [sends, receives] = phases[phase];
    After steps;
    if (receives >= 0)
      steps.push_back(
          b.receive(own.sources[static_cast<std::size_t>(receives)], schedule::output(receives), after));
    if (sends >= 0)
      steps.push_back(b.send(own.destinations[static_cast<std::size_t>(sends)], sent(sends), after));
    return steps;
  });
}

Strategy colored(Operation operation, const std::function<BlockList(std::int32_t unit)>& sent) {
  return {.name = "colored",
          .operation = operation,
          .summary = "meets neighbors in as few phases as ranks have neighbors; in each one no rank sends or "
                     "receives twice",
          .wins_when = "long blocks on graphs whose ranks are often two others' first neighbor",
          .source = "Koenig 1916 (edge coloring); Kumar 2005, chapter 9 (contention-free many-to-many)",
          .parameters = {window_parameter(1), barrier_parameter()},
          .unequal_blocks = true,
          .uses_nodes = true,
          .uses_graph = true,
          .unsupported_reason = too_large,
          .find_phases = find_phases,
          .append = [sent](Builder& b) { append_colored(b, sent); }};
}

} // namespace

} // namespace thalweg::strategies

namespace thalweg::strategies::neighbor_allgather {

Strategy colored() {
  return strategies::colored(Operation::neighbor_allgather, [](std::int32_t) { return schedule::input(0); });
}

} // namespace thalweg::strategies::neighbor_allgather

namespace thalweg::strategies::neighbor_alltoall {

Strategy colored() {
  return strategies::colored(Operation::neighbor_alltoall,
                             [](std::int32_t unit) { return schedule::input(unit); });
}

} // namespace thalweg::strategies::neighbor_alltoall
