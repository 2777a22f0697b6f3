// SPDX-License-Identifier: BSD-3-Clause

// A rank's edges in a neighborhood collective, which are all that it knows of the graph.

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"
#include "strategies/pacing.hpp"
#include "strategies/strategy.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace thalweg::strategies {

namespace {

using schedule::After;

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
Edges edges_of(const Builder& b) {
  const schedule::Neighborhood& own = (*b.problem().neighborhoods)[static_cast<std::size_t>(b.rank())];
  Edges edges;
  std::vector<std::int32_t> loops;
  for (std::int32_t unit = 0; unit < std::ssize(own.destinations); ++unit)
    if (const Rank peer = own.destinations[static_cast<std::size_t>(unit)]; peer != b.rank())
      edges.sends.push_back({peer, unit});
    else
      loops.push_back(unit);
  for (std::int32_t unit = 0; unit < std::ssize(own.sources); ++unit)
    if (const Rank peer = own.sources[static_cast<std::size_t>(unit)]; peer != b.rank())
      edges.receives.push_back({peer, unit});
    else
      edges.loops.emplace_back(loops.at(edges.loops.size()), unit);
  THALWEG_ASSERT(light, edges.loops.size() == loops.size()); // each has both of its ends
  return edges;
}

/// Sends by how far ahead the peer is, receives by how far behind, going round. All ranks then meet distance
/// by distance.
void sort_by_distance(Edges& edges, Rank rank, std::int32_t ranks) {
  std::ranges::stable_sort(edges.sends, {},
                           [=](const Edge& edge) { return modulo(edge.peer - rank, ranks); });
  std::ranges::stable_sort(edges.receives, {},
                           [=](const Edge& edge) { return modulo(rank - edge.peer, ranks); });
}

/// Appends a copy a loop, a receive and a send an edge, at most `window` of each under way at once (0: all).
/// `sent` says what goes along the edge of that destination. A window is safe for edges sorted by distance
/// only: of the messages that are not through yet, both ends of the nearest have then come to it.
void append_edges(Builder& b, const Edges& edges, std::size_t window,
                  const std::function<schedule::BlockList(std::int32_t unit)>& sent) {
  const auto earlier = [window](const After& steps) {
    return window > 0 && steps.size() >= window ? After{steps[steps.size() - window]} : After{};
  };
  for (const auto& [destination, source] : edges.loops)
    b.copy(sent(destination), schedule::output(source));
  After receives;
  for (const Edge& edge : edges.receives)
    receives.push_back(b.receive(edge.peer, schedule::output(edge.unit), earlier(receives)));
  After sends;
  for (const Edge& edge : edges.sends)
    sends.push_back(b.send(edge.peer, sent(edge.unit), earlier(sends)));
}

/// The edges by distance, a window at a time.
void append_by_distance(Builder& b, const std::function<schedule::BlockList(std::int32_t unit)>& sent) {
  Edges edges = edges_of(b);
  sort_by_distance(edges, b.rank(), b.ranks());
  append_edges(b, edges, static_cast<std::size_t>(b.parameter("window")), sent);
}

constexpr std::string_view direct_summary = "posts a receive and a send for each edge, all at once";
constexpr std::string_view direct_source =
    "MPI 3.1, section 7.6, as defined; Kumar 2005, section 3.3 (direct many-to-many)";
constexpr std::string_view cyclic_summary = "meets neighbors by their distance in rank, a window at a time";
constexpr std::string_view cyclic_wins =
    "many neighbors and long blocks: no rank is everybody's first target";
constexpr std::string_view cyclic_source =
    "Kumar 2005, sections 3.3 and 4.2.2 (many-to-many in cyclic order)";
constexpr std::string_view combined_source = "Kumar 2005, section 6.2 (combining per destination rank)";

} // namespace

} // namespace thalweg::strategies

namespace thalweg::strategies::neighbor_allgather {

Strategy direct() {
  return {.name = "direct",
          .operation = Operation::neighbor_allgather,
          .summary = direct_summary,
          .wins_when = "few neighbors",
          .source = direct_source,
          .unequal_blocks = true,
          .append = [](Builder& b) {
            append_edges(b, edges_of(b), 0, [](std::int32_t) { return schedule::input(0); });
          }};
}

Strategy cyclic() {
  return {
      .name = "cyclic",
      .operation = Operation::neighbor_allgather,
      .summary = cyclic_summary,
      .wins_when = cyclic_wins,
      .source = cyclic_source,
      .parameters = {window_parameter(8)},
      .unequal_blocks = true,
      .append = [](Builder& b) { append_by_distance(b, [](std::int32_t) { return schedule::input(0); }); }};
}

namespace {

// All edges between two ranks carry the same block: it goes once and is copied to where it belongs besides.
void append_combined(Builder& b) {
  const Edges edges = edges_of(b);
  for (const auto& [destination, source] : edges.loops)
    b.copy(schedule::input(0), schedule::output(source));
  std::map<Rank, std::int32_t> first;
  for (const Edge& edge : edges.receives)
    if (first.emplace(edge.peer, edge.unit).second)
      b.receive(edge.peer, schedule::output(edge.unit));
  std::map<Rank, std::int32_t> sent;
  for (const Edge& edge : edges.sends)
    if (sent.emplace(edge.peer, edge.unit).second)
      b.send(edge.peer, schedule::input(0));
  b.round();
  for (const Edge& edge : edges.receives)
    b.copy(schedule::output(first.at(edge.peer)), schedule::output(edge.unit));
}

} // namespace

Strategy combined() {
  return {.name = "combined",
          .operation = Operation::neighbor_allgather,
          .summary = "one message a neighbor, whatever the number of edges to it; copies make up the others",
          .wins_when = "graphs with several edges between the same ranks",
          .source = combined_source,
          .unequal_blocks = true,
          .append = append_combined};
}

} // namespace thalweg::strategies::neighbor_allgather

namespace thalweg::strategies::neighbor_alltoall {

Strategy direct() {
  return {.name = "direct",
          .operation = Operation::neighbor_alltoall,
          .summary = direct_summary,
          .wins_when = "few neighbors",
          .source = direct_source,
          .unequal_blocks = true,
          .append = [](Builder& b) {
            append_edges(b, edges_of(b), 0, [](std::int32_t unit) { return schedule::input(unit); });
          }};
}

Strategy cyclic() {
  return {.name = "cyclic",
          .operation = Operation::neighbor_alltoall,
          .summary = cyclic_summary,
          .wins_when = cyclic_wins,
          .source = cyclic_source,
          .parameters = {window_parameter(8)},
          .unequal_blocks = true,
          .append = [](Builder& b) {
            append_by_distance(b, [](std::int32_t unit) { return schedule::input(unit); });
          }};
}

namespace {

std::map<Rank, schedule::BlockList> by_peer(const std::vector<Edge>& edges, schedule::Buffer buffer) {
  std::map<Rank, schedule::BlockList> blocks;
  for (const Edge& edge : edges)
    blocks[edge.peer].push_back({buffer, edge.unit});
  return blocks;
}

// What goes to the same neighbor is combined; small periodic grids have two edges to one. Combining on the
// way is in neighborhood_meshes.cpp.
void append_combined(Builder& b) {
  const Edges edges = edges_of(b);
  for (const auto& [destination, source] : edges.loops)
    b.copy(schedule::input(destination), schedule::output(source));
  for (const auto& [peer, blocks] : by_peer(edges.receives, schedule::Buffer::output))
    b.receive(peer, blocks);
  for (const auto& [peer, blocks] : by_peer(edges.sends, schedule::Buffer::input))
    b.send(peer, blocks);
}

} // namespace

Strategy combined() {
  return {.name = "combined",
          .operation = Operation::neighbor_alltoall,
          .summary = "one message a neighbor, whatever the number of edges to it",
          .wins_when = "graphs with several edges between the same ranks, short blocks",
          .source = combined_source,
          .unequal_blocks = true,
          .append = append_combined};
}

} // namespace thalweg::strategies::neighbor_alltoall
