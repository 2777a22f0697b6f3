#include "strategies/stages.hpp"

namespace thalweg::strategies::reduce {

namespace {

using schedule::BlockList;

const Stage& stage() {
  static const Stage whole(Operation::allreduce, "by", {"rabenseifner", "recursive_doubling", "recursive_exchange"});
  return whole;
}

void append(Builder& b) {
  const bool is_root = b.rank() == b.root();
  Problem problem = stage().problem(b.problem(), b.ranks());
  problem.in_place = is_root && b.problem().in_place;
  std::vector<Rank> members(static_cast<std::size_t>(b.ranks()));
  for (Rank rank = 0; rank < b.ranks(); ++rank)
    members[static_cast<std::size_t>(rank)] = rank;
  const BlockList result = is_root ? schedule::output(0, b.pieces())
                                   : schedule::scratch(b.scratch_blocks(b.canonical()), b.pieces());
  stage().append(b, {.problem = std::move(problem),
                     .members = std::move(members),
                     .input_units = {schedule::input(0, b.pieces())},
                     .output_units = {result}});
}

} // namespace

Strategy allreduce() {
  return {.name = "allreduce",
          .operation = Operation::reduce,
          .summary = "an all-reduce whose result all but the root throw away",
          .wins_when = "the all-reduce is better tuned than any reduce, or the result must not depend on the root",
          .source = "mock-up; Hunold, Carpen-Amarie 2018 (performance guidelines)",
          .parameters = {stage().parameter("strategy of the all-reduce")},
          .keeps_rank_order = true,
          .in_place = true,
          .refuses = [](const Problem& problem) { return stage().refusal(problem, stage().problem(problem, problem.ranks)); },
          .pieces = [](const Problem& problem) { return stage().pieces(problem, stage().problem(problem, problem.ranks)); },
          .append = append};
}

} // namespace thalweg::strategies::reduce
