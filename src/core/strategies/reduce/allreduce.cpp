// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/composition.hpp"

#include <array>

namespace thalweg::strategies::reduce {

namespace {

constexpr std::array<std::string_view, 4> choices{"rabenseifner", "recursive_doubling", "recursive_exchange",
                                                  "ring"};
constexpr Stage stage{Operation::allreduce, "by", choices, "the all-reduce"};

void append(Builder& b) {
  const bool is_root = b.rank() == b.root();
  const auto result = is_root ? schedule::output(0, b.pieces())
                              : schedule::scratch(b.scratch_blocks(b.canonical()), b.pieces());
  stage.append(b,
               {.problem = {.in_place = is_root && b.problem().in_place},
                .members = everybody(b.ranks()),
                .input_units = {schedule::input(0, b.pieces())},
                .output_units = {result}},
               b.problem().unit_bytes);
}

} // namespace

Strategy allreduce() {
  return {.name = "allreduce",
          .operation = Operation::reduce,
          .summary = "an all-reduce whose result all but the root throw away",
          .wins_when =
              "the all-reduce is better tuned than any reduce, or the result must not depend on the root",
          .source = "Hunold, Carpen-Amarie 2018 (PGMPITuneLib), guideline reduce <= allreduce",
          .parameters = {stage.parameter()},
          .keeps_rank_order = true,
          .in_place = true,
          .unsupported_reason =
              [](const Problem& problem) {
                return stage.unsupported_reason(problem, problem.ranks, problem.unit_bytes);
              },
          .pieces =
              [](const Problem& problem) { return stage.pieces(problem, problem.ranks, problem.unit_bytes); },
          .append = append};
}

} // namespace thalweg::strategies::reduce
