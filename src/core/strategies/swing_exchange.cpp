// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/swing_exchange.hpp"

#include "base/arithmetic.hpp"

namespace thalweg::strategies {

using schedule::BlockList;
using schedule::Buffer;
using topology::Runs;
using topology::SwingOrder;

namespace {

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

/// The last rank of an odd number: its operands go to the owners, theirs of its block come.
ExchangeStep last_rank_step(std::int32_t even, SwingOrder order, BlockNames names) {
  ExchangeStep step;
  for (Rank peer = 0; peer < even; ++peer) {
    step.sends.push_back({peer, {{swing_block(peer, even + 1, order, names)}}});
    step.receives.push_back({peer, {{even}}});
  }
  return step;
}

} // namespace

std::int32_t swing_block(Rank rank, std::int32_t ranks, SwingOrder order, BlockNames names) {
  const std::int32_t even = even_part(ranks);
  return rank < even && numbered(even, order, names) ? topology::swing_number(rank, even) : rank;
}

bool swing_needs_copy(Rank rank, std::int32_t ranks) {
  return rank < even_part(ranks) && !is_power_of_two(even_part(ranks));
}

std::vector<ExchangeStep> swing_steps(Rank rank, std::int32_t ranks, SwingOrder order, BlockNames names) {
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

} // namespace thalweg::strategies
