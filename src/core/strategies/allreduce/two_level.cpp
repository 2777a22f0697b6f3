// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/composition.hpp"

#include <algorithm>
#include <array>

namespace thalweg::strategies::allreduce {

namespace {

constexpr std::array<std::string_view, 2> reduces{"knomial", "flat"};
constexpr std::array<std::string_view, 5> allreduces{"recursive_doubling", "rabenseifner", "ring", "swing",
                                                     "direct"};
constexpr std::array<std::string_view, 2> broadcasts{"knomial", "flat"};
constexpr Stage reduce_stage{Operation::reduce, "reduce", reduces, "the reduce to each node's leader"};
constexpr Stage leaders_stage{Operation::allreduce, "leaders", allreduces, "the all-reduce among leaders"};
constexpr Stage broadcast_stage{Operation::broadcast, "broadcast", broadcasts,
                                "the broadcast from each node's leader"};

void append(Builder& b) {
  const auto found = leader_groups(b.problem());
  const topology::NodeGroups& nodes = *found;
  const std::vector<Rank>& members = nodes.members_with(b.rank());
  const auto vector = schedule::output(0, b.pieces());
  const std::int64_t bytes = b.problem().unit_bytes;
  reduce_stage.append(b,
                      {.problem = {.in_place = b.problem().in_place},
                       .members = members,
                       .input_units = {schedule::input(0, b.pieces())},
                       .output_units = {vector}},
                      bytes);
  if (nodes.is_leader(b.rank()))
    leaders_stage.append(b,
                         {.problem = {.in_place = true},
                          .members = nodes.leaders,
                          .input_units = {vector},
                          .output_units = {vector}},
                         bytes);
  broadcast_stage.append(b, {.problem = {}, .members = members, .input_units = {}, .output_units = {vector}},
                         bytes);
}

std::optional<std::string> unsupported_reason(const Problem& problem) {
  if (auto why = unsupported_level_reason(problem))
    return why;
  const auto nodes = leader_groups(problem);
  if (!problem.commutative && !nodes->contiguous())
    return "it combines node by node, and nodes' ranks are not neighbors";
  return leaders_stage.unsupported_reason(problem, nodes->count(), problem.unit_bytes);
}

std::int32_t pieces(const Problem& problem) {
  // What the stages within nodes want depends on segments alone, not on a node's ranks.
  const std::int32_t leaders = leader_groups(problem)->count();
  return common_pieces({reduce_stage.pieces(problem, problem.ranks, problem.unit_bytes),
                        leaders_stage.pieces(problem, leaders, problem.unit_bytes),
                        broadcast_stage.pieces(problem, problem.ranks, problem.unit_bytes)});
}

} // namespace

Strategy two_level() {
  return {.name = "two_level",
          .operation = Operation::allreduce,
          .summary = "reduces to each node's leader, all-reduces among leaders, broadcasts within nodes",
          .wins_when = "several ranks a node, short vectors: the network carries one message a node",
          .source = "Traeff, Rougier 2014; MVAPICH's and UCC's leader-based collectives",
          .parameters = {reduce_stage.parameter(), leaders_stage.parameter(), broadcast_stage.parameter(),
                         level_parameter()},
          .keeps_rank_order = true,
          .in_place = true,
          .uses_nodes = true,
          .unsupported_reason = unsupported_reason,
          .pieces = pieces,
          .append = append};
}

} // namespace thalweg::strategies::allreduce
