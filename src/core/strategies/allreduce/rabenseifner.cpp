// SPDX-License-Identifier: BSD-3-Clause

// Recursive halving and doubling on vectors (Rabenseifner 2004). Partners are nearest first, so partial sums
// are of neighboring ranks, and each exchange cuts what is left into equal intervals: place p ends with the
// piece whose number is p read backwards.
//
// Numbers of ranks that are no power of the radix: *folding* lets neighbors beyond it hand everything to one
// of them first. *Binary blocks* splits the ranks into powers of two; each block halves for itself, then
// results pass from the smallest block up to the largest, whose piece they are cut to, and back again.

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"
#include "strategies/exchange.hpp"

#include <algorithm>

namespace thalweg::strategies::allreduce {

namespace {

using schedule::Side;
using topology::BinaryBlock;
using topology::Interval;
using topology::Runs;

enum Odd { folding, binary_blocks };

std::int32_t radix(const Problem& problem) {
  return static_cast<std::int32_t>(problem.parameter("radix"));
}

std::vector<Runs> runs_of(const Interval& interval, std::int32_t scale = 1) {
  return {{interval.begin * scale, interval.size() * scale}};
}

std::vector<ExchangeStep> folding_steps(const Builder& b) {
  const std::int32_t base = radix(b.problem());
  const topology::Places places(b.ranks(), topology::exchange_places(b.ranks(), base));
  const int digits = floor_log(base, b.ranks());
  const std::int32_t place = places.place_of(b.rank());
  const Runs everything{0, b.pieces()};
  std::vector<ExchangeStep> steps{fold_step(places, b.rank(), {&everything, 1})};
  if (b.rank() != places.begin(place))
    return steps;
  for (ExchangeStep& step :
       butterfly(places, place, base, ExchangeOrder::nearest_first, [&](std::int32_t p, int done) {
         return runs_of(topology::reversed_interval(p, base, digits, done));
       }))
    steps.push_back(std::move(step));
  return steps;
}

/// What passes between a block and the next smaller one: each piece of the smaller block's place to or from
/// the places of the larger one that share it.
std::vector<Transfer> to_larger(const BinaryBlock& small, const BinaryBlock& large, std::int32_t place,
                                std::int32_t scale) {
  const std::int32_t ratio = 1 << (large.digits - small.digits);
  const std::int32_t piece = topology::reversed_place(place, small.digits);
  std::vector<Transfer> transfers;
  for (std::int32_t part = piece * ratio; part < (piece + 1) * ratio; ++part)
    transfers.push_back(
        {large.begin + topology::reversed_place(part, large.digits), runs_of({part, part + 1}, scale)});
  return transfers;
}

Transfer from_smaller(const BinaryBlock& large, const BinaryBlock& small, std::int32_t place,
                      std::int32_t scale) {
  const std::int32_t piece = topology::reversed_place(place, large.digits);
  return {small.begin + topology::reversed_place(piece >> (large.digits - small.digits), small.digits),
          runs_of({piece, piece + 1}, scale), Side::right};
}

std::vector<ExchangeStep> binary_block_steps(const Builder& b) {
  const std::vector<BinaryBlock> blocks = topology::binary_blocks(b.ranks());
  std::size_t own = 0;
  while (b.rank() >= blocks[own].begin + blocks[own].size())
    ++own;
  THALWEG_ASSERT(light, own < blocks.size());
  const BinaryBlock& block = blocks[own];
  const std::int32_t place = b.rank() - block.begin;
  const auto scale_of = [&](const BinaryBlock& which) { return 1 << (blocks.front().digits - which.digits); };
  std::vector<ExchangeStep> steps =
      butterfly(topology::Places(block.size(), block.size()), place, 2, ExchangeOrder::nearest_first,
                [&](std::int32_t p, int done) {
                  return runs_of(topology::reversed_interval(p, 2, block.digits, done), scale_of(block));
                });
  for (ExchangeStep& step : steps) {
    for (auto* transfers : {&step.sends, &step.receives})
      for (Transfer& transfer : *transfers)
        transfer.peer += block.begin;
  }
  if (own + 1 < blocks.size())
    steps.push_back({.receives = {from_smaller(block, blocks[own + 1], place, scale_of(block))}});
  if (own > 0)
    steps.push_back({.sends = to_larger(block, blocks[own - 1], place, scale_of(blocks[own - 1]))});
  return steps;
}

void append(Builder& b) {
  RunningSum sum(b, schedule::Buffer::output, 0);
  if (b.ranks() == 1) {
    b.copy(schedule::input(0), schedule::output(0));
    return;
  }
  const std::vector<ExchangeStep> steps =
      b.parameter("odd") == folding ? folding_steps(b) : binary_block_steps(b);
  append_reduce_scatter(b, sum, steps);
  append_allgather(b, sum, steps);
}

} // namespace

Strategy rabenseifner() {
  return {.name = "rabenseifner",
          .operation = Operation::allreduce,
          .summary = "recursive halving, then recursive doubling; each rank reduces its part of the vector",
          .wins_when = "long vectors on many ranks",
          .source = "Rabenseifner 2004; Rabenseifner, Traeff 2004 (binary blocks)",
          .parameters = {{.name = "odd",
                          .kind = ParameterKind::choice,
                          .default_value = folding,
                          .min = folding,
                          .max = binary_blocks,
                          .description = "what is done where ranks are no power of the radix",
                          .choices = {"folding", "binary_blocks"},
                          .proven_at = {folding, binary_blocks}},
                         {.name = "radix",
                          .default_value = 2,
                          .min = 2,
                          .max = 64,
                          .description =
                              "parts into which an exchange cuts, among as many ranks; 2 with binary blocks",
                          .proven_at = {3, 4, 8}}},
          .keeps_rank_order = true,
          .in_place = true,
          .order_matters = true,
          .unsupported_reason = [](const Problem& problem) -> std::optional<std::string> {
            if (problem.parameter("odd") == binary_blocks && radix(problem) != 2)
              return "binary blocks are powers of two: they need radix=2";
            return std::nullopt;
          },
          .pieces =
              [](const Problem& problem) { return topology::exchange_places(problem.ranks, radix(problem)); },
          .append = append};
}

} // namespace thalweg::strategies::allreduce
