// SPDX-License-Identifier: BSD-3-Clause

// Message combining on virtual meshes (topology/virtual_mesh.hpp): all-gathers and all-to-alls.

#include "base/assertion.hpp"
#include "schedule/block.hpp"
#include "strategies/allgather/layout.hpp"
#include "topology/node_groups.hpp"
#include "topology/virtual_mesh.hpp"

#include <algorithm>

namespace thalweg::strategies {

namespace {

/// The parameter of meshes of any dimensions.
Parameter dimensions_parameter() {
  return {.name = "dimensions",
          .kind = ParameterKind::count,
          .default_value = 4,
          .min = 1,
          .max = 16,
          .description = "of the mesh, at most",
          .proven_at = {5, 1, 7}};
}

std::int32_t dimensions(const Builder& b) {
  return static_cast<std::int32_t>(b.parameter("dimensions"));
}

constexpr std::string_view mesh_source = "Kumar 2005, section 3.1 (2-D and 3-D mesh with holes), generalized";
constexpr std::string_view mesh_wins = "short blocks; the more ranks and the shorter, the more dimensions";

} // namespace

} // namespace thalweg::strategies

namespace thalweg::strategies::allgather {

namespace {

/// What a rank has and passes on in a phase, in ascending order, so that neighbors melt into one range.
schedule::BlockList held(const topology::VirtualMesh& mesh, Rank rank, std::int32_t phase) {
  std::vector<Rank> sources = mesh.sources(rank, phase);
  std::ranges::sort(sources);
  schedule::BlockList blocks;
  for (const Rank source : sources)
    blocks.push_back({schedule::Buffer::output, source});
  return blocks;
}

/// All-gather by message combining on a virtual mesh of at most `dimensions` dimensions, holes included.
void append_on_mesh(Builder& b, std::int32_t dimensions) {
  const topology::VirtualMesh mesh(b.ranks(), dimensions);
  append_own(b);
  for (std::int32_t phase = 0; phase < mesh.dimensions(); ++phase) {
    b.round();
    for (const Rank sender : mesh.senders(b.rank(), phase))
      b.receive(sender, held(mesh, sender, phase));
    const schedule::BlockList passed_on = held(mesh, b.rank(), phase);
    for (const Rank receiver : mesh.receivers(b.rank(), phase))
      b.send(receiver, passed_on);
  }
}

} // namespace

Strategy mesh2d() {
  return {
      .name = "mesh2d",
      .operation = Operation::allgather,
      .summary =
          "sends the own block along the row, then the row's blocks along the column of a 2-D virtual mesh",
      .wins_when = "short and medium blocks: 2 (sqrt(P) - 1) messages, no block sent twice by the same rank",
      .source = "Kumar 2005, section 3.1.1 (2-D mesh with holes)",
      .unequal_blocks = true,
      .in_place = true,
      .order_matters = true,
      .append = [](Builder& b) { append_on_mesh(b, 2); }};
}

Strategy mesh3d() {
  return {
      .name = "mesh3d",
      .operation = Operation::allgather,
      .summary =
          "combines blocks along rows, columns and planes of a 3-D virtual mesh: 3 (cbrt(P) - 1) messages",
      .wins_when = "short blocks on hundreds of ranks and more",
      .source = "Kumar 2005, section 3.1.2 (3-D mesh with holes)",
      .unequal_blocks = true,
      .in_place = true,
      .order_matters = true,
      .append = [](Builder& b) { append_on_mesh(b, 3); }};
}

Strategy mesh() {
  return {.name = "mesh",
          .operation = Operation::allgather,
          .summary = "combines blocks along a virtual mesh of N dimensions: N (P^(1/N) - 1) messages",
          .wins_when = mesh_wins,
          .source = mesh_source,
          .parameters = {dimensions_parameter()},
          .unequal_blocks = true,
          .in_place = true,
          .order_matters = true,
          .append = [](Builder& b) { append_on_mesh(b, dimensions(b)); }};
}

} // namespace thalweg::strategies::allgather

namespace thalweg::strategies::alltoall {

namespace {

using schedule::BlockList;
using schedule::Buffer;
using topology::VirtualMesh;

// Before phase t a rank holds the blocks of sources(rank, t) for the ranks that agree with it in the first t
// coordinates: each source for each of those destinations. What arrived in phase u lies in a scratch region
// of its own, a row a source and in the row the destinations in the order of agreeing(rank, u + 1). As that
// order sorts by the next coordinate first, a row's blocks for one receiver are always neighbors; a region
// goes as one range.
class HeldBlocks {
public:
  HeldBlocks(Builder& b, const VirtualMesh& mesh) : mesh_(mesh), rank_(b.rank()) {
    for (std::int32_t phase = 0; phase + 1 < mesh.dimensions(); ++phase) {
      Region region;
      for (const Rank sender : mesh.senders(rank_, phase)) {
        const std::vector<Rank> theirs = mesh.sources(sender, phase);
        region.sources.insert(region.sources.end(), theirs.begin(), theirs.end());
      }
      region.width = mesh.count_agreeing(rank_, phase + 1);
      region.first = b.scratch_blocks(static_cast<std::int32_t>(region.sources.size()) * region.width);
      regions_.push_back(std::move(region));
    }
  }

  /// Blocks for the ranks that agree with `receiver` in the first phase+1 coordinates, source by source.
  BlockList leaving(std::int32_t phase, Rank receiver) const {
    BlockList blocks;
    for (const Rank destination : mesh_.agreeing(receiver, phase + 1))
      blocks.push_back({Buffer::input, destination});
    const std::int32_t run = mesh_.count_agreeing(receiver, phase + 1);
    for (std::int32_t u = 0; u < phase; ++u)
      blocks = std::move(blocks) + rows(u, mesh_.place_among(receiver, u + 1, phase + 1), run);
    return blocks;
  }

  /// Where what a sender of that phase sends goes; its sources begin at row `row`, which is moved past them.
  BlockList arriving(std::int32_t phase, std::int32_t source_count, std::int32_t& row) const {
    const Region& region = regions_[static_cast<std::size_t>(phase)];
    const std::int32_t first = region.first + row * region.width;
    row += source_count;
    THALWEG_ASSERT(normal, row <= std::ssize(region.sources));
    return schedule::scratch(first, source_count * region.width);
  }

  /// Blocks that are at home before the last phase, and where they belong.
  void append_own(Builder& b) const {
    for (std::int32_t u = 0; u + 1 < mesh_.dimensions(); ++u) {
      BlockList home;
      for (const Rank source : regions_[static_cast<std::size_t>(u)].sources)
        home.push_back({Buffer::output, source});
      b.copy(rows(u, mesh_.place_among(rank_, u + 1, mesh_.dimensions()), 1), home);
    }
  }

private:
  struct Region {
    std::vector<Rank> sources;
    std::int32_t width = 0;
    std::int32_t first = 0;
  };

  BlockList rows(std::int32_t phase, std::int32_t column, std::int32_t run) const {
    const Region& region = regions_[static_cast<std::size_t>(phase)];
    return strided(Buffer::scratch, region.first + column, run,
                   static_cast<std::int64_t>(region.sources.size()), region.width);
  }

  const VirtualMesh& mesh_;
  Rank rank_;
  std::vector<Region> regions_;
};

/// All-to-all by message combining on a virtual mesh over the builder's ranks, holes included.
void append_on_mesh(Builder& b, const VirtualMesh& mesh) {
  const HeldBlocks held(b, mesh);
  const std::int32_t last = mesh.dimensions() - 1;
  b.copy(schedule::input(b.rank()), schedule::output(b.rank()));
  for (std::int32_t phase = 0; phase <= last; ++phase) {
    b.round();
    std::int32_t row = 0;
    for (const Rank sender : mesh.senders(b.rank(), phase)) {
      const std::vector<Rank> sources = mesh.sources(sender, phase);
      BlockList home;
      if (phase == last)
        for (const Rank source : sources)
          home.push_back({Buffer::output, source});
      b.receive(sender,
                phase == last ? home : held.arriving(phase, static_cast<std::int32_t>(sources.size()), row));
    }
    for (const Rank receiver : mesh.receivers(b.rank(), phase))
      b.send(receiver, held.leaving(phase, receiver));
    if (phase == last)
      held.append_own(b);
  }
}

} // namespace

Strategy mesh2d() {
  return {
      .name = "mesh2d",
      .operation = Operation::alltoall,
      .summary =
          "combines blocks by columns of a 2-D virtual mesh: 2 (sqrt(P) - 1) messages, each block sent twice",
      .wins_when = "blocks below about 1 KiB on dozens to thousands of ranks",
      .source = "Kumar 2005, section 3.1.1 (2-D mesh with holes)",
      .order_matters = true,
      .append = [](Builder& b) { append_on_mesh(b, topology::VirtualMesh(b.ranks(), 2)); }};
}

Strategy mesh3d() {
  return {
      .name = "mesh3d",
      .operation = Operation::alltoall,
      .summary =
          "combines blocks along a 3-D virtual mesh: 3 (cbrt(P) - 1) messages, each block sent three times",
      .wins_when = "short blocks on hundreds of ranks and more",
      .source = "Kumar 2005, section 3.1.2 (3-D mesh with holes)",
      .order_matters = true,
      .append = [](Builder& b) { append_on_mesh(b, topology::VirtualMesh(b.ranks(), 3)); }};
}

Strategy mesh() {
  return {.name = "mesh",
          .operation = Operation::alltoall,
          .summary =
              "combines blocks along a virtual mesh of N dimensions: N (P^(1/N) - 1) messages, each block "
              "sent N times",
          .wins_when = mesh_wins,
          .source = mesh_source,
          .parameters = {dimensions_parameter()},
          .order_matters = true,
          .append = [](Builder& b) { append_on_mesh(b, topology::VirtualMesh(b.ranks(), dimensions(b))); }};
}

namespace {

using topology::NodeGroups;

/// Over the ranks, node by node. Where nodes hold different numbers of ranks none of its sides can be a
/// node's.
VirtualMesh mesh_over(const NodeGroups& nodes, std::int32_t ranks, std::int32_t between_nodes) {
  const std::size_t each = nodes.members.front().size();
  const bool are_alike =
      std::ranges::all_of(nodes.members, [each](const auto& members) { return members.size() == each; });
  if (!are_alike || each == 1 || nodes.count() == 1)
    return {ranks, are_alike ? between_nodes : between_nodes + 1};
  const VirtualMesh far(nodes.count(), between_nodes);
  std::vector<std::int32_t> sides{static_cast<std::int32_t>(each)};
  for (std::int32_t dimension = 0; dimension < far.dimensions(); ++dimension)
    sides.push_back(far.side(dimension));
  return {ranks, sides};
}

// Blocks first go to the rank of the own node that has the place of their destination in its node.
void append_node_mesh(Builder& b) {
  const NodeGroups nodes = topology::node_groups(b.ranks(), b.problem().nodes.get());
  schedule::Subproblem by_node{
      .problem = {.operation = Operation::alltoall}, .members = {}, .input_units = {}, .output_units = {}};
  by_node.problem.ranks = b.ranks();
  for (const std::vector<Rank>& members : nodes.members)
    for (const Rank rank : members) {
      by_node.members.push_back(rank);
      by_node.input_units.push_back(schedule::input(rank));
      by_node.output_units.push_back(schedule::output(rank));
    }
  Builder sorted = b.subgroup(by_node);
  append_on_mesh(sorted, mesh_over(nodes, b.ranks(), dimensions(b)));
}

} // namespace

Strategy node_mesh() {
  return {.name = "node_mesh",
          .operation = Operation::alltoall,
          .summary = "combines blocks along a virtual mesh whose first dimension is a node's ranks, so that "
                     "only the others cross the network",
          .wins_when = "short or few blocks, several ranks a node: the more nodes, the more dimensions",
          .source = "Wesolowski and others 2014 (TRAM), sections 2 and 4; Kumar 2005, section 3.1",
          .parameters = {{.name = "dimensions",
                          .kind = ParameterKind::count,
                          .default_value = 2,
                          .min = 1,
                          .max = 16,
                          .description = "of the mesh of nodes, at most",
                          .proven_at = {1, 3}}},
          .uses_nodes = true,
          .append = append_node_mesh};
}

} // namespace thalweg::strategies::alltoall
