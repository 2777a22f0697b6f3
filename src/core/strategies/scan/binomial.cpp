// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/strategy.hpp"

namespace thalweg::strategies::scan {

namespace {

using schedule::Side;

// Up: the last rank of each block of 2d ranks adds the sum of the lower half. Down: a rank that knows its
// whole prefix gives it to the last rank of the lower half of the block behind it.
void append(Builder& b) {
  const auto vector = schedule::output(0, b.canonical());
  const std::int64_t place = std::int64_t{b.rank()} + 1;
  b.copy(schedule::input(0, b.canonical()), vector);
  std::int64_t distance = 1;
  for (; distance < b.ranks(); distance *= 2) {
    b.round();
    if (place % (2 * distance) == 0)
      b.receive_combine(static_cast<Rank>(b.rank() - distance), vector, Side::left);
    else if (place % (2 * distance) == distance && place + distance <= b.ranks())
      b.send(static_cast<Rank>(b.rank() + distance), vector);
  }
  for (distance /= 2; distance >= 1; distance /= 2) {
    b.round();
    if (place % (2 * distance) == 0 && place + distance <= b.ranks())
      b.send(static_cast<Rank>(b.rank() + distance), vector);
    else if (place % (2 * distance) == distance && place > distance)
      b.receive_combine(static_cast<Rank>(b.rank() - distance), vector, Side::left);
  }
}

} // namespace

Strategy binomial() {
  return {.name = "binomial",
          .operation = Operation::scan,
          .summary = "sums go up a binomial tree and prefixes down it",
          .wins_when = "operators that cost more than messages: each rank combines twice at most on average",
          .source = "Brent, Kung 1982; Blelloch 1990",
          .keeps_rank_order = true,
          .in_place = true,
          .append = append};
}

} // namespace thalweg::strategies::scan
