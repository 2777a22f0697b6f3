// SPDX-License-Identifier: BSD-3-Clause

// Bine butterflies: partners of base -2 from long distances to short ones. For long vectors the ranks halve
// and double; for short ones they exchange whole vectors, which in this order gives all ranks the same
// expression (from short to long it would not: the groups of partial sums overlap). A group's partial sum
// stands before or behind the other's by swing's numbers: there groups are intervals, so their members agree.

#include "base/arithmetic.hpp"
#include "strategies/swing_exchange.hpp"
#include "strategies/whole_exchange.hpp"

#include <algorithm>

namespace thalweg::strategies::allreduce {

namespace {

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

void append(Builder& b) {
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
      .append = append};
}

} // namespace thalweg::strategies::allreduce
