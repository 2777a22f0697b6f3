// SPDX-License-Identifier: BSD-3-Clause

// Neighborhood collectives on meshes: an all-to-all among all ranks in which a rank has something for its
// neighbors only (many-to-many: Kumar 2005, section 3.3.1). Messages say how long their blocks are
// (engine/self_describing.hpp), so ranks between two neighbors need not know of their edge.

#include "base/assertion.hpp"
#include "strategies/index.hpp"

#include <functional>
#include <map>

namespace thalweg::strategies {

namespace {

using schedule::BlockList;

/// The units of a rank's edges by peer: the first goes through the mesh.
using UnitsByPeer = std::map<Rank, std::vector<std::int32_t>>;

UnitsByPeer by_peer(const std::vector<Rank>& peers) {
  UnitsByPeer units;
  for (std::int32_t unit = 0; unit < std::ssize(peers); ++unit)
    if (const Rank peer = peers[static_cast<std::size_t>(unit)]; peer >= 0) // others end at the grid's border
      units[peer].push_back(unit);
  return units;
}

struct Neighbors {
  UnitsByPeer destinations;
  UnitsByPeer sources;
};

Neighbors neighbors_of(const Builder& b) {
  const schedule::Neighborhood& own = (*b.problem().neighborhoods)[static_cast<std::size_t>(b.rank())];
  return {by_peer(own.destinations), by_peer(own.sources)};
}

using SentBlocks = std::function<BlockList(std::int32_t unit)>;

/// Runs an all-to-all of the index with the rank's edges as its units. A unit without an edge is a scratch
/// block that nobody writes, which is empty, and what comes from no neighbor goes to one that nobody reads.
void append_alltoall(Builder& b, std::string_view strategy, const Neighbors& neighbors,
                     const SentBlocks& sent) {
  const std::int32_t ranks = b.ranks();
  const std::int32_t nothing = b.scratch_blocks(ranks);
  const std::int32_t unread = b.scratch_blocks(ranks);
  schedule::Subproblem all{
      .problem = {.operation = Operation::alltoall}, .members = {}, .input_units = {}, .output_units = {}};
  all.problem.nodes = b.problem().nodes;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const auto to = neighbors.destinations.find(rank);
    const auto from = neighbors.sources.find(rank);
    all.members.push_back(rank);
    all.input_units.push_back(to == neighbors.destinations.end() ? schedule::scratch(nothing + rank)
                                                                 : sent(to->second.front()));
    all.output_units.push_back(from == neighbors.sources.end() ? schedule::scratch(unread + rank)
                                                               : schedule::output(from->second.front()));
  }
  append_stage(b, strategy, std::move(all), {{"dimensions", b.parameter("dimensions")}});
}

constexpr std::string_view summary =
    "an all-to-all on a virtual mesh in which blocks without an edge are empty: N (P^(1/N) - 1) messages";
constexpr std::string_view node_summary = "an all-to-all on a mesh whose first dimension is a node's ranks, "
                                          "in which blocks without an edge are empty";
constexpr std::string_view wins = "many neighbors and short blocks";
constexpr std::string_view node_wins = "many neighbors on other nodes, short blocks, several ranks a node";
constexpr std::string_view source = "Kumar 2005, section 3.3.1 (many-to-many on meshes)";

Parameter dimensions_parameter(std::string_view of, std::vector<std::int64_t> proven_at) {
  return {.name = "dimensions",
          .kind = ParameterKind::count,
          .default_value = 2,
          .min = 1,
          .max = 16,
          .description = of,
          .proven_at = std::move(proven_at)};
}

Strategy on_mesh(Operation operation, std::function<void(Builder&)> append) {
  return {.name = "mesh",
          .operation = operation,
          .summary = summary,
          .wins_when = wins,
          .source = source,
          .parameters = {dimensions_parameter("of the mesh, at most", {1, 3})},
          .append = std::move(append)};
}

Strategy on_node_mesh(Operation operation, std::function<void(Builder&)> append) {
  return {.name = "node_mesh",
          .operation = operation,
          .summary = node_summary,
          .wins_when = node_wins,
          .source = source,
          .parameters = {dimensions_parameter("of the mesh of nodes, at most", {1})},
          .uses_nodes = true,
          .append = std::move(append)};
}

} // namespace

} // namespace thalweg::strategies

namespace thalweg::strategies::neighbor_allgather {

namespace {

// All edges between two ranks carry the same block: copies make up those after the first.
void append_through(Builder& b, std::string_view strategy) {
  const Neighbors neighbors = neighbors_of(b);
  append_alltoall(b, strategy, neighbors, [](std::int32_t) { return schedule::input(0); });
  for (const auto& [peer, units] : neighbors.sources)
    for (std::size_t further = 1; further < units.size(); ++further)
      b.copy(schedule::output(units.front()), schedule::output(units[further]));
}

} // namespace

Strategy mesh() {
  return on_mesh(Operation::neighbor_allgather, [](Builder& b) { append_through(b, "mesh"); });
}

Strategy node_mesh() {
  return on_node_mesh(Operation::neighbor_allgather, [](Builder& b) { append_through(b, "node_mesh"); });
}

} // namespace thalweg::strategies::neighbor_allgather

namespace thalweg::strategies::neighbor_alltoall {

namespace {

// Edges to a rank after the first one have messages of their own, as ranks between do not know how many there
// are. Edges meet in the order of their lists, the n-th with the n-th.
void append_through(Builder& b, std::string_view strategy) {
  const Neighbors neighbors = neighbors_of(b);
  const auto own_sources = neighbors.sources.find(b.rank());
  for (const auto& [peer, units] : neighbors.destinations)
    for (std::size_t further = 1; further < units.size() && peer == b.rank(); ++further)
      b.copy(schedule::input(units[further]), schedule::output(own_sources->second[further]));
  for (const auto& [peer, units] : neighbors.sources)
    for (std::size_t further = 1; further < units.size() && peer != b.rank(); ++further)
      b.receive(peer, schedule::output(units[further]));
  for (const auto& [peer, units] : neighbors.destinations)
    for (std::size_t further = 1; further < units.size() && peer != b.rank(); ++further)
      b.send(peer, schedule::input(units[further]));
  append_alltoall(b, strategy, neighbors, [](std::int32_t unit) { return schedule::input(unit); });
}

} // namespace

Strategy mesh() {
  return on_mesh(Operation::neighbor_alltoall, [](Builder& b) { append_through(b, "mesh"); });
}

Strategy node_mesh() {
  return on_node_mesh(Operation::neighbor_alltoall, [](Builder& b) { append_through(b, "node_mesh"); });
}

} // namespace thalweg::strategies::neighbor_alltoall
