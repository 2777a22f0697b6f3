// SPDX-License-Identifier: BSD-3-Clause

// Reduce-scatter and all-reduce over butterflies whose partners swing from side to side
// (topology/exchanges.hpp): Swing from short distances to long ones, Bine butterflies from long ones to short
// ones.

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"
#include "strategies/allreduce/whole_exchange.hpp"
#include "strategies/exchange.hpp"
#include "topology/exchanges.hpp"

#include <algorithm>

namespace thalweg::strategies {

namespace {

using schedule::BlockList;
using schedule::Buffer;
using topology::Runs;
using topology::SwingOrder;

/// What the blocks of a reduce-scatter are called.
enum class BlockNames {
  ranks,      ///< block r is rank r's, as the operation reduce_scatter wants it
  contiguous, ///< parts of a vector may be numbered so that messages are intervals, where that is possible
};

/// The ranks that swing: all, or all but the last.
std::int32_t even_part(std::int32_t ranks) {
  return ranks - ranks % 2;
}

bool numbered(std::int32_t even, SwingOrder order, BlockNames names) {
  return names == BlockNames::contiguous && order == SwingOrder::short_first && is_power_of_two(even);
}

std::vector<Runs> kept_blocks(Rank rank, int done, std::int32_t even, SwingOrder order, BlockNames names) {
  if (!numbered(even, order, names))
    return topology::swing_blocks(rank, done, even, order);
  const int open = topology::swing_steps(even) - done;
  return {{topology::swing_number(rank, even) >> open << open, 1 << open}};
}

/// Powers of two: partners split what both are responsible for.
std::vector<ExchangeStep> halving_steps(Rank rank, std::int32_t even, SwingOrder order, BlockNames names) {
  std::vector<ExchangeStep> steps;
  for (int step = 0; step < topology::swing_steps(even); ++step) {
    const Rank partner = topology::swing_partner(rank, step, even, order);
    steps.push_back({.sends = {{partner, kept_blocks(partner, step + 1, even, order, names)}},
                     .receives = {{partner, kept_blocks(rank, step + 1, even, order, names)}}});
  }
  return steps;
}

/// The blocks that a rank passes on in each step.
std::vector<std::vector<std::int32_t>> departing(Rank rank, std::int32_t even,
                                                 const std::vector<std::int8_t>& departures) {
  std::vector<std::vector<std::int32_t>> blocks(static_cast<std::size_t>(topology::swing_steps(even)));
  for (Rank owner = 0; owner < even; ++owner) {
    const std::int64_t distance = modulo(owner % 2 == 0 ? rank - owner : owner - rank, even);
    const std::int8_t step = departures[static_cast<std::size_t>(distance)];
    if (step >= 0)
      blocks[static_cast<std::size_t>(step)].push_back(owner);
  }
  return blocks;
}

/// Any even number: each block travels up its owner's tree.
std::vector<ExchangeStep> tree_steps(Rank rank, std::int32_t even, SwingOrder order) {
  const std::vector<std::int8_t> departures = topology::swing_departures(even, order);
  const auto own = departing(rank, even, departures);
  std::vector<ExchangeStep> steps;
  for (int step = 0; step < topology::swing_steps(even); ++step) {
    const Rank partner = topology::swing_partner(rank, step, even, order);
    const auto index = static_cast<std::size_t>(step);
    const auto theirs = departing(partner, even, departures)[index];
    ExchangeStep both;
    if (!own[index].empty())
      both.sends.push_back({partner, topology::compressed(own[index])});
    if (!theirs.empty())
      both.receives.push_back({partner, topology::compressed(theirs)});
    steps.push_back(std::move(both));
  }
  return steps;
}

/// The block that the rank ends with.
std::int32_t swing_block(Rank rank, std::int32_t ranks, SwingOrder order, BlockNames names) {
  const std::int32_t even = even_part(ranks);
  return rank < even && numbered(even, order, names) ? topology::swing_number(rank, even) : rank;
}

/// The last rank of an odd number: its operands go to the owners, theirs of its block come.
ExchangeStep last_rank_step(std::int32_t even, SwingOrder order, BlockNames names) {
  ExchangeStep step;
  for (Rank peer = 0; peer < even; ++peer) {
    step.sends.push_back({peer, {{swing_block(peer, even + 1, order, names)}}});
    step.receives.push_back({peer, {{even}}});
  }
  return step;
}

/// Do the first steps touch only some of the blocks that a rank keeps? Then its operands must be copied to
/// the sum's home before.
bool swing_needs_copy(Rank rank, std::int32_t ranks) {
  return rank < even_part(ranks) && !is_power_of_two(even_part(ranks));
}

/// A rank's steps of a reduce-scatter over swinging partners. Powers of two: log2 P steps. Other even
/// numbers: a block goes with the last step in which it is still of use. Odd numbers: the last rank exchanges
/// its block and its operands directly with everybody, the others do the rest.
std::vector<ExchangeStep> swing_steps(Rank rank, std::int32_t ranks, SwingOrder order, BlockNames names) {
  THALWEG_ASSERT(light, ranks > 1 && rank >= 0 && rank < ranks);
  const std::int32_t even = even_part(ranks);
  if (rank == even)
    return {last_rank_step(even, order, names)};
  std::vector<ExchangeStep> steps =
      is_power_of_two(even) ? halving_steps(rank, even, order, names) : tree_steps(rank, even, order);
  if (even < ranks) {
    steps.insert(steps.begin(), ExchangeStep{.sends = {{even, {{even}}}}});
    steps.push_back({.receives = {{even, {{swing_block(rank, ranks, order, names)}}}}});
  }
  return steps;
}

/// All-reduce: the steps as reduce-scatter and backwards. Pieces: one a rank.
void append_swing_allreduce(Builder& b, SwingOrder order) {
  const BlockList from = schedule::input(0, b.ranks());
  const BlockList to = schedule::output(0, b.ranks());
  RunningSum sum(b, Buffer::output, 0);
  if (b.ranks() == 1 || swing_needs_copy(b.rank(), b.ranks())) {
    b.copy(from, to);
    sum.arrive();
  }
  if (b.ranks() == 1)
    return;
  const auto steps = swing_steps(b.rank(), b.ranks(), order, BlockNames::contiguous);
  append_reduce_scatter(b, sum, steps);
  append_allgather(b, sum, steps);
}

/// Reduce-scatter of units.
void append_swing_reduce_scatter(Builder& b, SwingOrder order) {
  if (b.ranks() == 1) {
    b.copy(schedule::input(0), schedule::output(0));
    return;
  }
  const std::int32_t home = b.scratch_blocks(b.canonical());
  RunningSum sum(b, Buffer::scratch, home);
  if (swing_needs_copy(b.rank(), b.ranks())) {
    b.copy(schedule::input(0, b.ranks()), schedule::scratch(home, b.ranks()));
    sum.arrive();
  }
  const BlockList result = schedule::output(0);
  append_reduce_scatter(b, sum, swing_steps(b.rank(), b.ranks(), order, BlockNames::ranks), &result);
}

} // namespace

} // namespace thalweg::strategies

namespace thalweg::strategies::reduce_scatter {

Strategy swing() {
  return {.name = "swing",
          .operation = Operation::reduce_scatter,
          .summary = "halving with partners at distances 1, 1, 3, 5, 11, .. to alternating sides",
          .wins_when = "rings and tori, where short distances cost less",
          .source = "De Sensi, Bonato, Saam, Hoefler, NSDI 2024 (Swing), section 3.1",
          .unequal_blocks = true,
          .order_matters = true,
          .append = [](Builder& b) { append_swing_reduce_scatter(b, topology::SwingOrder::short_first); }};
}

Strategy bine() {
  return {.name = "bine",
          .operation = Operation::reduce_scatter,
          .summary = "halving over distances of base -2 from long to short; messages are intervals of blocks",
          .wins_when =
              "networks of groups (dragonfly, tapered fat-tree), where fewer bytes cross between groups",
          .source = "De Sensi et al., SC 2025 (Bine trees), butterflies",
          .unequal_blocks = true,
          .order_matters = true,
          .append = [](Builder& b) { append_swing_reduce_scatter(b, topology::SwingOrder::long_first); }};
}

} // namespace thalweg::strategies::reduce_scatter

namespace thalweg::strategies::allreduce {

Strategy swing() {
  return {.name = "swing",
          .operation = Operation::allreduce,
          .summary =
              "halving and doubling with partners at distances 1, 1, 3, 5, 11, .. to alternating sides",
          .wins_when = "medium and long vectors on rings and tori, where short distances cost less",
          .source = "De Sensi, Bonato, Saam, Hoefler, NSDI 2024 (Swing), bandwidth-optimal form",
          .in_place = true,
          .order_matters = true,
          .pieces = [](const Problem& problem) { return problem.ranks; },
          .append = [](Builder& b) { append_swing_allreduce(b, topology::SwingOrder::short_first); }};
}

namespace {

// For long vectors the ranks halve and double; for short ones they exchange whole vectors, which from long
// distances to short ones gives all ranks the same expression (from short to long it would not: the groups of
// partial sums overlap). A group's partial sum stands before or behind the other's by swing's numbers: there
// groups are intervals, so their members agree.
enum Parts { halves, whole };

void append_whole(Builder& b) {
  const topology::Places places(b.ranks(), topology::exchange_places(b.ranks(), 2));
  const std::int32_t place = places.place_of(b.rank());
  const Rank speaker = places.begin(place);
  if (b.rank() != speaker)
    return append_whole_exchange(b, {}, {}, speaker);
  const auto number = [&](std::int32_t of) { return topology::swing_number(of, places.count()); };
  ExchangeRounds rounds;
  for (int step = 0; step < topology::swing_steps(places.count()); ++step) {
    const std::int32_t partner =
        topology::swing_partner(place, step, places.count(), topology::SwingOrder::long_first);
    const auto [first, second] = std::ranges::minmax({place, partner}, {}, number);
    rounds.push_back({places.begin(first), places.begin(second)});
  }
  std::vector<Rank> members;
  for (Rank member = speaker + 1; member < places.end(place); ++member)
    members.push_back(member);
  append_whole_exchange(b, rounds, members, -1);
}

void append_bine(Builder& b) {
  if (b.parameter("parts") == whole)
    append_whole(b);
  else
    append_swing_allreduce(b, topology::SwingOrder::long_first);
}

} // namespace

Strategy bine() {
  return {
      .name = "bine",
      .operation = Operation::allreduce,
      .summary =
          "butterfly over distances of base -2 from long to short; halving and doubling, or whole vectors",
      .wins_when = "networks of groups (dragonfly, tapered fat-tree), where fewer bytes cross between groups",
      .source = "De Sensi et al., SC 2025 (Bine trees), butterflies",
      .parameters = {{.name = "parts",
                      .kind = ParameterKind::choice,
                      .default_value = halves,
                      .min = halves,
                      .max = whole,
                      .description = "what is exchanged: halves of what is left, or whole vectors",
                      .choices = {"halves", "whole"},
                      .proven_at = {whole}}},
      .in_place = true,
      .order_matters = true,
      .pieces =
          [](const Problem& problem) { return problem.parameter("parts") == whole ? 1 : problem.ranks; },
      .append = append_bine};
}

} // namespace thalweg::strategies::allreduce
