// SPDX-License-Identifier: BSD-3-Clause

#include "base/arithmetic.hpp"
#include "strategies/exchange.hpp"

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

/// Reduce-scatter by recursive halving over places in base `radix`. Ranks beyond a power of the radix fold
/// into a neighbor that speaks for them and hands them their sum at the end. Furthest first: messages are
/// intervals of blocks. Nearest first: messages are strided rows, and the order of ranks is kept.
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

/// How many ranks exchange with one another: the parameter `radix`.
Parameter radix_parameter() {
  return {.name = "radix",
          .default_value = 2,
          .min = 2,
          .max = 64,
          .description = "ranks that exchange with one another in a round",
          .proven_at = {3, 4, 8}};
}

} // namespace

Strategy recursive_halving() {
  return {.name = "recursive_halving",
          .operation = Operation::reduce_scatter,
          .summary =
              "exchanges half of what is left with partners P/2, P/4, .. away (parts of radix in general)",
          .wins_when = "short and medium blocks, operators that commute",
          .source = "Thakur, Rabenseifner, Gropp 2005, section 4.4 (recursive halving); UCC's k-nomial form",
          .parameters = {radix_parameter()},
          .unequal_blocks = true,
          .order_matters = true,
          .append = [](Builder& b) {
            append_halving(b, static_cast<std::int32_t>(b.parameter("radix")), ExchangeOrder::furthest_first);
          }};
}

Strategy butterfly() {
  return {.name = "butterfly",
          .operation = Operation::reduce_scatter,
          .summary = "recursive halving with the nearest partners first: strided rows of blocks, the order "
                     "of ranks kept",
          .wins_when = "short and medium blocks, operators that do not commute",
          .source = "Bernaschi, Iannello, Lauria 2003; Traeff 2005 (butterfly reduce-scatter)",
          .parameters = {radix_parameter()},
          .keeps_rank_order = true,
          .unequal_blocks = true,
          .order_matters = true,
          .append = [](Builder& b) {
            append_halving(b, static_cast<std::int32_t>(b.parameter("radix")), ExchangeOrder::nearest_first);
          }};
}

} // namespace thalweg::strategies::reduce_scatter
