// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/composition.hpp"
#include "topology/node_groups.hpp"

#include <array>

namespace thalweg::strategies::reduce_scatter {

namespace {

using schedule::BlockList;
using schedule::Subproblem;

constexpr std::array<std::string_view, 2> reduces{"knomial", "flat"};
constexpr std::array<std::string_view, 4> reduce_scatters{"recursive_halving", "butterfly", "pairwise",
                                                          "bine"};
constexpr Stage reduce_stage{Operation::reduce, "reduce", reduces,
                             "the reduce of all blocks to each node's leader"};
constexpr Stage leaders_stage{Operation::reduce_scatter, "leaders", reduce_scatters,
                              "the reduce-scatter among leaders"};

topology::NodeGroups groups_of(const Problem& problem) {
  return topology::node_groups(problem.ranks, problem.nodes.get());
}

BlockList scratch_of(std::int32_t row, const std::vector<Rank>& owners) {
  BlockList blocks;
  for (const Rank owner : owners)
    blocks.push_back({schedule::Buffer::scratch, row + owner});
  return blocks;
}

/// The leaders' reduce-scatter: from sums of the node in one row of scratch to sums of everything in another,
/// whose unit is the blocks of a node.
void append_leaders(Builder& b, const topology::NodeGroups& nodes, std::int32_t node_sums,
                    std::int32_t sums) {
  Subproblem sub{.problem = {},
                 .members = nodes.leaders,
                 .input_units = {},
                 .output_units = {scratch_of(sums, nodes.members_with(b.rank()))}};
  for (const std::vector<Rank>& members : nodes.members)
    sub.input_units.push_back(scratch_of(node_sums, members));
  leaders_stage.append(b, std::move(sub), 0);
}

void append(Builder& b) {
  const topology::NodeGroups nodes = groups_of(b.problem());
  const std::vector<Rank>& members = nodes.members_with(b.rank());
  const bool leads = nodes.is_leader(b.rank());
  const auto everything = schedule::input(0, b.ranks());
  Subproblem reduce{.problem = {},
                    .members = members,
                    .input_units = {everything},
                    .output_units = {},
                    .canonical_units = {everything}};
  const std::int32_t node_sums = leads ? b.scratch_blocks(b.canonical()) : 0;
  const std::int32_t sums = leads ? b.scratch_blocks(b.canonical()) : 0;
  if (leads)
    reduce.output_units = {schedule::scratch(node_sums, b.ranks())};
  reduce_stage.append(b, std::move(reduce), b.problem().unit_bytes * b.ranks());
  if (leads)
    append_leaders(b, nodes, node_sums, sums);
  Subproblem scatter{.problem = {.operation = Operation::scatter},
                     .members = members,
                     .input_units = {},
                     .output_units = {schedule::output(0)}};
  // Flat, for the blocks keep their own sizes on the way.
  for (const Rank member : members) {
    scatter.canonical_units.push_back(schedule::input(member));
    if (leads)
      scatter.input_units.push_back(schedule::scratch(sums + member));
  }
  append_stage(b, "flat", std::move(scatter));
}

std::optional<std::string> unsupported_reason(const Problem& problem) {
  const topology::NodeGroups nodes = groups_of(problem);
  if (!problem.commutative && !nodes.contiguous())
    return "it combines node by node, and nodes' ranks are not neighbors";
  return leaders_stage.unsupported_reason(problem, nodes.count(), 0);
}

} // namespace

Strategy two_level() {
  return {
      .name = "two_level",
      .operation = Operation::reduce_scatter,
      .summary =
          "reduces to each node's leader, reduce-scatters nodes' blocks among leaders, scatters within nodes",
      .wins_when = "several ranks a node, short blocks: the network carries few messages",
      .source = "Traeff, Rougier 2014; MVAPICH's leader-based collectives",
      .parameters = {reduce_stage.parameter(), leaders_stage.parameter()},
      .keeps_rank_order = true,
      .unequal_blocks = true,
      .uses_nodes = true,
      .unsupported_reason = unsupported_reason,
      .append = append};
}

} // namespace thalweg::strategies::reduce_scatter
