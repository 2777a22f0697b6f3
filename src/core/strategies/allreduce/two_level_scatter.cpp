// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/composition.hpp"
#include "topology/node_groups.hpp"

#include <algorithm>
#include <array>

namespace thalweg::strategies::allreduce {

namespace {

constexpr std::array<std::string_view, 4> reduce_scatters{"ring", "direct", "recursive_halving", "pairwise"};
constexpr std::array<std::string_view, 4> allreduces{"rabenseifner", "ring", "recursive_doubling", "swing"};
constexpr std::array<std::string_view, 3> allgathers{"ring", "direct", "bruck"};
constexpr Stage inside_stage{Operation::reduce_scatter, "reduce_scatter", reduce_scatters,
                             "the reduce-scatter within a node"};
constexpr Stage across_stage{Operation::allreduce, "across", allreduces,
                             "the all-reduce of each part across nodes"};
constexpr Stage gather_stage{Operation::allgather, "allgather", allgathers, "the all-gather within a node"};

topology::NodeGroups groups_of(const Problem& problem) {
  return topology::node_groups(problem.ranks, problem.nodes.get());
}

void append(Builder& b) {
  const topology::NodeGroups nodes = groups_of(b.problem());
  const std::vector<Rank>& members = nodes.members_with(b.rank());
  const auto parts = static_cast<std::int32_t>(members.size());
  const std::int32_t own = nodes.place(b.rank());
  std::vector<Rank> peers;
  for (const std::vector<Rank>& node : nodes.members)
    peers.push_back(node[static_cast<std::size_t>(own)]);
  append_vector_reduce_scatter(b, inside_stage, members);
  across_stage.append(b,
                      {.problem = {.in_place = true},
                       .members = peers,
                       .input_units = {output_part(b, parts, own)},
                       .output_units = {output_part(b, parts, own)}},
                      b.problem().unit_bytes / parts);
  append_vector_allgather(b, gather_stage, members);
}

std::optional<std::string> unsupported_reason(const Problem& problem) {
  const topology::NodeGroups nodes = groups_of(problem);
  for (const std::vector<Rank>& members : nodes.members)
    if (members.size() != nodes.members.front().size())
      return "it needs the same number of ranks on every node";
  return std::nullopt;
}

std::int32_t pieces(const Problem& problem) {
  const topology::NodeGroups nodes = groups_of(problem);
  const auto parts = static_cast<std::int32_t>(nodes.members.front().size());
  const std::int64_t part_bytes = problem.unit_bytes / parts;
  return parts * common_pieces({inside_stage.pieces(problem, parts, part_bytes),
                                across_stage.pieces(problem, nodes.count(), part_bytes),
                                gather_stage.pieces(problem, parts, part_bytes)});
}

} // namespace

Strategy two_level_scatter() {
  return {.name = "two_level_scatter",
          .operation = Operation::allreduce,
          .summary =
              "reduce-scatter within nodes, an all-reduce of each part across nodes, all-gather within nodes",
          .wins_when = "several ranks a node, long vectors: every rank of a node uses the network",
          .source = "Jain et al. 2019; NCCL's and Horovod's hierarchical all-reduce",
          .parameters = {inside_stage.parameter(), across_stage.parameter(), gather_stage.parameter()},
          .in_place = true,
          .uses_nodes = true,
          .unsupported_reason = unsupported_reason,
          .pieces = pieces,
          .append = append};
}

} // namespace thalweg::strategies::allreduce
