// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/composition.hpp"

#include <array>

namespace thalweg::strategies::reduce_scatter {

namespace {

constexpr std::array<std::string_view, 4> allreduces{"recursive_doubling", "rabenseifner",
                                                     "recursive_exchange", "direct"};
constexpr Stage allreduce_stage{Operation::allreduce, "allreduce", allreduces,
                                "the all-reduce of all blocks"};

void append(Builder& b) {
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
          .append = append};
}

} // namespace thalweg::strategies::reduce_scatter
