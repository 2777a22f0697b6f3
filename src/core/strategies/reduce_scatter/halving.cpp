// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/reduce_scatter/halving.hpp"

#include "base/arithmetic.hpp"

namespace thalweg::strategies::reduce_scatter {

using schedule::BlockList;
using schedule::Buffer;
using topology::Places;
using topology::Runs;

namespace {

/// The last stage of a place with several ranks: the speaker has all their sums.
void hand_out(Builder& b, const Places& places, std::int32_t place, std::int32_t home) {
  b.round();
  const Rank speaker = places.begin(place);
  if (b.rank() != speaker) {
    b.receive(speaker, schedule::output(0));
    return;
  }
  for (Rank member = speaker + 1; member < places.end(place); ++member)
    b.send(member, schedule::scratch(home + member));
  b.copy(schedule::scratch(home + speaker), schedule::output(0));
}

PartOfPlace blocks_left(const Places& places, std::int32_t radix, ExchangeOrder order) {
  const int digits = floor_log(radix, places.count());
  return [=](std::int32_t place, int done) -> std::vector<Runs> {
    if (order == ExchangeOrder::furthest_first)
      return {topology::ranks_of(places, topology::leading_interval(place, radix, digits, done))};
    const auto modulus = static_cast<std::int32_t>(power(radix, done));
    return topology::ranks_of_residue(places, place % modulus, modulus);
  };
}

} // namespace

void append_halving(Builder& b, std::int32_t radix, ExchangeOrder order) {
  if (b.ranks() == 1) {
    b.copy(schedule::input(0), schedule::output(0));
    return;
  }
  const Places places(b.ranks(), topology::exchange_places(b.ranks(), radix));
  const std::int32_t place = places.place_of(b.rank());
  const bool is_alone = places.end(place) - places.begin(place) == 1;
  const bool speaks = b.rank() == places.begin(place);
  const std::int32_t home = speaks ? b.scratch_blocks(b.canonical()) : 0;
  const Runs everything{0, b.ranks()};
  std::vector<ExchangeStep> steps;
  if (!is_alone)
    steps.push_back(fold_step(places, b.rank(), {&everything, 1}));
  if (speaks)
    for (ExchangeStep& step : butterfly(places, place, radix, order, blocks_left(places, radix, order)))
      steps.push_back(std::move(step));
  RunningSum sum(b, Buffer::scratch, home);
  const BlockList result = schedule::output(0);
  append_reduce_scatter(b, sum, steps, is_alone ? &result : nullptr);
  if (!is_alone)
    hand_out(b, places, place, home);
}

Parameter radix_parameter() {
  return {.name = "radix",
          .default_value = 2,
          .min = 2,
          .max = 64,
          .description = "ranks that exchange with one another in a round",
          .proven_at = {3, 4, 8}};
}

} // namespace thalweg::strategies::reduce_scatter
