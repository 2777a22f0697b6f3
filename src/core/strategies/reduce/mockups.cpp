// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/composition.hpp"
#include "strategies/tree_steps.hpp"

#include <array>

namespace thalweg::strategies::reduce {

namespace {

constexpr std::array<std::string_view, 4> allreduces{"rabenseifner", "recursive_doubling",
                                                     "recursive_exchange", "ring"};
constexpr Stage allreduce_stage{Operation::allreduce, "by", allreduces, "the all-reduce"};

void append_allreduce(Builder& b) {
  const bool is_root = b.rank() == b.root();
  const auto result = is_root ? schedule::output(0, b.pieces())
                              : schedule::scratch(b.scratch_blocks(b.canonical()), b.pieces());
  allreduce_stage.append(b,
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
          .parameters = {allreduce_stage.parameter()},
          .keeps_rank_order = true,
          .in_place = true,
          .unsupported_reason =
              [](const Problem& problem) {
                return allreduce_stage.unsupported_reason(problem, problem.ranks, problem.unit_bytes);
              },
          .pieces =
              [](const Problem& problem) {
                return allreduce_stage.pieces(problem, problem.ranks, problem.unit_bytes);
              },
          .append = append_allreduce};
}

namespace {

constexpr std::array<std::string_view, 4> reduce_scatters{"pairwise", "ring", "recursive_halving",
                                                          "butterfly"};
constexpr Stage reduce_scatter_stage{Operation::reduce_scatter, "reduce_scatter", reduce_scatters,
                                     "the reduce-scatter"};

/// Gathers the parts at the root over a k-nomial tree of relative ranks. Each lies at its own place in the
/// vector that begins with block `first` of the buffer, so no other memory is needed.
void append_gather(Builder& b, schedule::Buffer buffer, std::int32_t first) {
  const Problem& problem = b.problem();
  const auto radix = static_cast<std::int32_t>(b.parameter("radix"));
  const Rank self = relative(problem, b.rank());
  const auto below = [&](Rank relative_rank) {
    const auto [begin, end] =
        topology::subtree(topology::TreeShape::knomial, b.ranks(), radix, relative_rank).front();
    auto blocks = schedule::wrapped(buffer, std::int64_t{begin} + problem.root, end - begin, b.ranks());
    for (schedule::BlockRange& range : blocks)
      range.first += first;
    return blocks;
  };
  const topology::TreeNode node = topology::tree_node(topology::TreeShape::knomial, b.ranks(), radix, self);
  for (auto child = node.children.rbegin(); child != node.children.rend(); ++child)
    b.receive(absolute(problem, *child), below(*child));
  b.round();
  if (node.parent >= 0)
    b.send(absolute(problem, node.parent), below(self));
}

void append_reduce_scatter_gather(Builder& b) {
  const bool is_root = b.rank() == b.root();
  // The sum of a rank's own part goes to its place in a vector: the root's output, where it does not hold the
  // input too.
  const bool at_home = is_root && !b.problem().in_place;
  const auto buffer = at_home ? schedule::Buffer::output : schedule::Buffer::scratch;
  const std::int32_t first = at_home ? 0 : b.scratch_blocks(b.canonical());
  schedule::Subproblem sub{
      .problem = {}, .members = everybody(b.ranks()), .input_units = {}, .output_units = {}};
  for (Rank rank = 0; rank < b.ranks(); ++rank)
    sub.input_units.push_back(schedule::input(rank));
  sub.output_units = {{{buffer, first + b.rank()}}};
  reduce_scatter_stage.append(b, std::move(sub), b.problem().unit_bytes / b.ranks());
  b.round();
  if (is_root && !at_home) {
    b.copy(schedule::scratch(first + b.rank()), schedule::output(b.rank()));
    b.round();
  }
  append_gather(b, is_root ? schedule::Buffer::output : buffer, is_root ? 0 : first);
}

} // namespace

Strategy reduce_scatter_gather() {
  std::vector<Parameter> parameters = degree_parameters(topology::TreeShape::knomial);
  parameters.front().proven_at = {4};
  parameters.push_back(reduce_scatter_stage.parameter());
  return {.name = "reduce_scatter_gather",
          .operation = Operation::reduce,
          .summary = "a reduce-scatter of the vector in parts, then a gather of the parts at the root",
          .wins_when = "long vectors, any number of ranks",
          .source =
              "Hunold, Carpen-Amarie 2018, guideline reduce <= reduce_scatter + gather; Rabenseifner 2004",
          .parameters = parameters,
          .keeps_rank_order = true,
          .in_place = true,
          .order_matters = true,
          .unsupported_reason =
              [](const Problem& problem) {
                return reduce_scatter_stage.unsupported_reason(problem, problem.ranks,
                                                               problem.unit_bytes / problem.ranks);
              },
          .pieces = [](const Problem& problem) { return problem.ranks; },
          .append = append_reduce_scatter_gather};
}

} // namespace thalweg::strategies::reduce
