// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/composition.hpp"

#include <array>

namespace thalweg::strategies::reduce_scatter {

namespace {

constexpr std::array<std::string_view, 4> allreduces{"recursive_doubling", "rabenseifner",
                                                     "recursive_exchange", "direct"};
constexpr Stage allreduce_stage{Operation::allreduce, "allreduce", allreduces,
                                "the all-reduce of all blocks"};

void append_allreduce(Builder& b) {
  const std::int32_t home = b.scratch_blocks(b.canonical());
  allreduce_stage.append(b,
                         {.problem = {},
                          .members = everybody(b.ranks()),
                          .input_units = {schedule::input(0, b.ranks())},
                          .output_units = {schedule::scratch(home, b.ranks())}},
                         b.problem().unit_bytes * b.ranks());
  b.copy(schedule::scratch(home + b.rank()), schedule::output(0));
}

} // namespace

Strategy allreduce_then_copy() {
  return {.name = "allreduce_then_copy",
          .operation = Operation::reduce_scatter,
          .summary = "an all-reduce of all blocks, of which each rank keeps its own",
          .wins_when = "a mock-up; short blocks",
          .source = "Hunold, Carpen-Amarie 2018, guideline reduce_scatter <= allreduce",
          .parameters = {allreduce_stage.parameter()},
          .keeps_rank_order = true,
          .unequal_blocks = true,
          .append = append_allreduce};
}

namespace {

constexpr std::array<std::string_view, 4> reduces{"knomial", "chain", "flat", "fork"};
constexpr Stage reduce_stage{Operation::reduce, "reduce", reduces, "the reduce of all blocks to rank 0"};

void append_reduce(Builder& b) {
  const std::int32_t home = b.rank() == 0 ? b.scratch_blocks(b.canonical()) : 0;
  const std::vector<Rank> members = everybody(b.ranks());
  schedule::Subproblem reduce{.problem = {},
                              .members = members,
                              .input_units = {schedule::input(0, b.ranks())},
                              .output_units = {},
                              .canonical_units = {schedule::input(0, b.ranks())}};
  schedule::Subproblem scatter{.problem = {.operation = Operation::scatter},
                               .members = members,
                               .input_units = {},
                               .output_units = {schedule::output(0)}};
  if (b.rank() == 0)
    reduce.output_units = {schedule::scratch(home, b.ranks())};
  for (Rank rank = 0; rank < b.ranks(); ++rank) {
    scatter.canonical_units.push_back(schedule::input(rank));
    if (b.rank() == 0)
      scatter.input_units.push_back(schedule::scratch(home + rank));
  }
  reduce_stage.append(b, std::move(reduce), b.problem().unit_bytes * b.ranks());
  append_stage(b, "flat", std::move(scatter)); // blocks keep their own sizes on the way
}

} // namespace

Strategy reduce_then_scatter() {
  return {.name = "reduce_then_scatter",
          .operation = Operation::reduce_scatter,
          .summary = "a reduce of all blocks to rank 0, which scatters the sums",
          .wins_when = "a mock-up: nothing should be slower than this",
          .source = "Hunold, Carpen-Amarie 2018, guideline reduce_scatter <= reduce + scatterv",
          .parameters = {reduce_stage.parameter()},
          .keeps_rank_order = true,
          .unequal_blocks = true,
          .unsupported_reason =
              [](const Problem& problem) {
                return reduce_stage.unsupported_reason(problem, problem.ranks,
                                                       problem.unit_bytes * problem.ranks);
              },
          .append = append_reduce};
}

} // namespace thalweg::strategies::reduce_scatter
