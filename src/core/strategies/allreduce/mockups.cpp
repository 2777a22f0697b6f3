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

void append_reduce_broadcast(Builder& b) {
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
          .append = append_reduce_broadcast};
}

namespace {

constexpr std::array<std::string_view, 7> reduce_scatters{
    "recursive_halving", "ring", "pairwise", "butterfly", "direct", "swing", "bine"};
constexpr std::array<std::string_view, 4> allgathers{"ring", "bruck", "knomial", "direct"};
constexpr Stage reduce_scatter_stage{Operation::reduce_scatter, "reduce_scatter", reduce_scatters,
                                     "the reduce-scatter of the vector's parts"};
constexpr Stage allgather_stage{Operation::allgather, "allgather", allgathers, "the all-gather of the sums"};

void append_reduce_scatter_allgather(Builder& b) {
  append_vector_reduce_scatter(b, reduce_scatter_stage, everybody(b.ranks()));
  append_vector_allgather(b, allgather_stage, everybody(b.ranks()));
}

std::int32_t pieces(const Problem& problem) {
  const std::int64_t part = problem.unit_bytes / problem.ranks;
  return problem.ranks * common_pieces({reduce_scatter_stage.pieces(problem, problem.ranks, part),
                                        allgather_stage.pieces(problem, problem.ranks, part)});
}

} // namespace

Strategy reduce_scatter_allgather() {
  return {
      .name = "reduce_scatter_allgather",
      .operation = Operation::allreduce,
      .summary = "a reduce-scatter of equal parts of the vector, then an all-gather of the sums",
      .wins_when = "long vectors; a mock-up of any pair of the two",
      .source =
          "Rabenseifner 2004; Hunold, Carpen-Amarie 2018, guideline allreduce <= reduce_scatter + allgather",
      .parameters = {reduce_scatter_stage.parameter(), allgather_stage.parameter()},
      .in_place = true,
      .order_matters = true,
      .pieces = pieces,
      .append = append_reduce_scatter_allgather};
}

} // namespace thalweg::strategies::allreduce
