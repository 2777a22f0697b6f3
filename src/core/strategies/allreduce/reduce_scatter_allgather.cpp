// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/composition.hpp"

#include <array>

namespace thalweg::strategies::allreduce {

namespace {

constexpr std::array<std::string_view, 7> reduce_scatters{
    "recursive_halving", "ring", "pairwise", "butterfly", "direct", "swing", "bine"};
constexpr std::array<std::string_view, 4> allgathers{"ring", "bruck", "knomial", "direct"};
constexpr Stage reduce_scatter_stage{Operation::reduce_scatter, "reduce_scatter", reduce_scatters,
                                     "the reduce-scatter of the vector's parts"};
constexpr Stage allgather_stage{Operation::allgather, "allgather", allgathers, "the all-gather of the sums"};

void append(Builder& b) {
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
      .append = append};
}

} // namespace thalweg::strategies::allreduce
