// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/alltoall/mesh_routes.hpp"
#include "topology/node_groups.hpp"

#include <algorithm>

namespace thalweg::strategies::alltoall {

namespace {

using topology::NodeGroups;
using topology::VirtualMesh;

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
void append(Builder& b) {
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
  append_on_mesh(sorted, mesh_over(nodes, b.ranks(), static_cast<std::int32_t>(b.parameter("dimensions"))));
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
          .append = append};
}

} // namespace thalweg::strategies::alltoall
