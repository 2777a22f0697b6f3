// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/exchange.hpp"

#include "base/assertion.hpp"

#include <algorithm>

namespace thalweg::strategies {

using schedule::After;
using schedule::BlockList;
using schedule::Side;
using schedule::StepId;
using topology::Runs;

BlockList blocks_of(schedule::Buffer buffer, std::span<const Runs> runs, std::int32_t offset) {
  BlockList blocks;
  blocks.reserve(runs.size());
  for (const Runs& entry : runs)
    blocks.push_back({buffer, entry.first + offset, entry.run, entry.count, entry.stride});
  return blocks;
}

RunningSum::RunningSum(Builder& builder, schedule::Buffer home, std::int32_t first)
    : builder_(builder), home_(home), first_(first),
      is_home_(builder.problem().in_place && home == schedule::Buffer::output) {}

BlockList RunningSum::here(std::span<const Runs> blocks) const {
  return is_home_ ? home(blocks) : blocks_of(schedule::Buffer::input, blocks);
}

StepId RunningSum::absorb(Rank from, std::span<const Runs> blocks, const BlockList& target, Side incoming,
                          const After& after) {
  const BlockList own = here(blocks);
  if (own == target)
    return builder_.receive_combine(from, target, incoming, after);
  const StepId come = builder_.receive(from, target, after);
  return builder_.combine(own, target, incoming == Side::left ? Side::right : Side::left, {come});
}

StepId receive_in_order(Builder& builder, std::span<const Rank> group, const BlockList& own,
                        const BlockList& target, const After& ready) {
  THALWEG_ASSERT(heavy, std::ranges::count(group, builder.rank()) == 1);
  THALWEG_ASSERT(normal, own != target);
  const bool own_is_first = group.front() == builder.rank();
  StepId last = schedule::nothing;
  for (const Rank peer : group) {
    if (peer == builder.rank()) {
      if (!own_is_first)
        last = builder.combine(own, target, Side::right, {last});
    } else if (last != schedule::nothing) {
      last = builder.receive_combine(peer, target, Side::right, {last});
    } else {
      last = builder.receive(peer, target, ready);
      if (own_is_first)
        last = builder.combine(own, target, Side::left, {last});
    }
  }
  return last;
}

void append_reduce_scatter(Builder& builder, RunningSum& sum, std::span<const ExchangeStep> steps,
                           const BlockList* last_target) {
  THALWEG_ASSERT(light, last_target == nullptr || !steps.empty());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    builder.round();
    for (const Transfer& send : steps[i].sends)
      builder.send(send.peer, sum.here(send.blocks));
    StepId last = schedule::nothing;
    for (const Transfer& receive : steps[i].receives) {
      const BlockList target = last_target && i + 1 == steps.size() ? *last_target : sum.home(receive.blocks);
      if (last == schedule::nothing)
        last = sum.absorb(receive.peer, receive.blocks, target, receive.side);
      else
        last = builder.receive_combine(receive.peer, target, receive.side, {last});
    }
    if (!steps[i].receives.empty())
      sum.arrive();
  }
}

void append_allgather(Builder& builder, const RunningSum& sum, std::span<const ExchangeStep> steps) {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    builder.round();
    THALWEG_ASSERT(normal, step->receives.empty() || sum.is_home());
    for (const Transfer& send : step->sends)
      builder.receive(send.peer, sum.home(send.blocks));
    for (const Transfer& receive : step->receives)
      builder.send(receive.peer, sum.home(receive.blocks));
  }
}

ExchangeStep fold_step(const topology::Places& places, Rank rank, std::span<const Runs> everything) {
  const std::int32_t place = places.place_of(rank);
  const Rank speaker = places.begin(place);
  const std::vector<Runs> blocks(everything.begin(), everything.end());
  ExchangeStep step;
  if (rank != speaker)
    step.sends.push_back({speaker, blocks});
  else
    for (Rank member = speaker + 1; member < places.end(place); ++member)
      step.receives.push_back({member, blocks, Side::right});
  return step;
}

std::vector<ExchangeStep> butterfly(const topology::Places& places, std::int32_t place, std::int32_t radix,
                                    ExchangeOrder order, const PartOfPlace& part) {
  THALWEG_ASSERT(light, places.count() == topology::exchange_places(places.count(), radix));
  std::vector<ExchangeStep> steps;
  int done = 0;
  for (std::int32_t reach = 1; reach < places.count(); reach *= radix, ++done) {
    const std::int32_t weight =
        order == ExchangeOrder::nearest_first ? reach : places.count() / radix / reach;
    const std::vector<std::int32_t> group = topology::exchange_group(place, radix, weight);
    const std::int32_t own = place / weight % radix;
    const std::vector<Runs> kept = part(place, done + 1);
    ExchangeStep step;
    for (std::int32_t digit = 0; digit < radix; ++digit)
      if (digit != own) {
        const std::int32_t peer = group[static_cast<std::size_t>(digit)];
        step.sends.push_back({places.begin(peer), part(peer, done + 1)});
      }
    // Neighbors are combined before those beyond them, so that partial sums are never of ranks with gaps.
    for (std::int32_t digit = own - 1; digit >= 0; --digit)
      step.receives.push_back({places.begin(group[static_cast<std::size_t>(digit)]), kept, Side::left});
    for (std::int32_t digit = own + 1; digit < radix; ++digit)
      step.receives.push_back({places.begin(group[static_cast<std::size_t>(digit)]), kept, Side::right});
    steps.push_back(std::move(step));
  }
  return steps;
}

} // namespace thalweg::strategies
