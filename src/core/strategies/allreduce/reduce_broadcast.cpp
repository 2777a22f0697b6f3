// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/composition.hpp"

#include <array>

namespace thalweg::strategies::allreduce {

namespace {

constexpr std::array<std::string_view, 5> reduces{"knomial", "chain", "flat", "fork", "double_tree"};
constexpr std::array<std::string_view, 6> broadcasts{"knomial", "kary", "chain",
                                                     "flat",    "fork", "double_tree"};
constexpr Stage reduce_stage{Operation::reduce, "reduce", reduces, "the reduce to rank 0"};
constexpr Stage broadcast_stage{Operation::broadcast, "broadcast", broadcasts, "the broadcast from rank 0"};

void append(Builder& b) {
  const auto vector = schedule::output(0, b.pieces());
  const std::int64_t bytes = b.problem().unit_bytes;
  reduce_stage.append(b,
                      {.problem = {.in_place = b.problem().in_place},
                       .members = everybody(b.ranks()),
                       .input_units = {schedule::input(0, b.pieces())},
                       .output_units = {vector}},
                      bytes);
  broadcast_stage.append(
      b, {.problem = {}, .members = everybody(b.ranks()), .input_units = {}, .output_units = {vector}},
      bytes);
}

} // namespace

Strategy reduce_broadcast() {
  return {.name = "reduce_broadcast",
          .operation = Operation::allreduce,
          .summary = "a reduce to rank 0, then a broadcast from it",
          .wins_when = "a mock-up: nothing should be slower than this",
          .source = "Hunold, Carpen-Amarie 2018 (PGMPITuneLib), guideline allreduce <= reduce + bcast",
          .parameters = {reduce_stage.parameter(), broadcast_stage.parameter()},
          .keeps_rank_order = true,
          .in_place = true,
          .unsupported_reason =
              [](const Problem& problem) {
                return reduce_stage.unsupported_reason(problem, problem.ranks, problem.unit_bytes);
              },
          .pieces =
              [](const Problem& problem) {
                return common_pieces({reduce_stage.pieces(problem, problem.ranks, problem.unit_bytes),
                                      broadcast_stage.pieces(problem, problem.ranks, problem.unit_bytes)});
              },
          .append = append};
}

} // namespace thalweg::strategies::allreduce
