// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/composition.hpp"

#include <array>

namespace thalweg::strategies::allreduce {

namespace {

using schedule::Side;

constexpr std::array<std::string_view, 4> allgathers{"bruck", "knomial", "ring", "direct"};
constexpr Stage gather_stage{Operation::allgather, "allgather", allgathers, "the all-gather of all vectors"};

// The last rank's vector goes straight to the output, where the others' are combined with it from right to
// left. In place the output is still being read then, and it waits in scratch as well.
void append(Builder& b) {
  const std::int32_t size = b.pieces();
  const auto result = schedule::output(0, size);
  if (b.ranks() == 1) {
    b.copy(schedule::input(0, size), result);
    return;
  }
  const bool in_place = b.problem().in_place;
  const std::int32_t all = b.scratch_blocks((b.ranks() - (in_place ? 0 : 1)) * b.canonical());
  const auto vector = [&](Rank rank) { return schedule::scratch(all + rank * size, size); };
  schedule::Subproblem sub{.problem = {},
                           .members = everybody(b.ranks()),
                           .input_units = {schedule::input(0, size)},
                           .output_units = {}};
  for (Rank rank = 0; rank < b.ranks(); ++rank)
    sub.output_units.push_back(rank + 1 < b.ranks() || in_place ? vector(rank) : result);
  gather_stage.append(b, std::move(sub), b.problem().unit_bytes);
  if (in_place)
    b.copy(vector(b.ranks() - 1), result);
  for (Rank rank = b.ranks() - 2; rank >= 0; --rank) {
    b.round();
    b.combine(vector(rank), result, Side::left);
  }
}

} // namespace

Strategy allgather_reduce() {
  return {.name = "allgather_reduce",
          .operation = Operation::allreduce,
          .summary = "gathers everybody's vector everywhere; each rank combines them in the order of ranks",
          .wins_when = "tiny vectors, and results that must not depend on anything but the operands' order",
          .source = "Traeff 2012 (alternatives to all-reduce by all-gather); LibNBC",
          .parameters = {gather_stage.parameter()},
          .keeps_rank_order = true,
          .in_place = true,
          .pieces =
              [](const Problem& problem) {
                return gather_stage.pieces(problem, problem.ranks, problem.unit_bytes);
              },
          .append = append};
}

} // namespace thalweg::strategies::allreduce
