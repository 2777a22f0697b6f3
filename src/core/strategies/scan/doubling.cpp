// SPDX-License-Identifier: BSD-3-Clause

// Scans in rounds of distance 1, 2, 4, ..

#include "strategies/strategy.hpp"

namespace thalweg::strategies {

namespace {

/// What both recursive doublings have in common.
Strategy recursive_doubling_of(Operation operation, void (*append)(Builder&)) {
  return {
      .name = "recursive_doubling",
      .operation = operation,
      .summary =
          "in rounds of distance 1, 2, 4, .. each rank sends what it has so far to the rank that far ahead",
      .wins_when = "short vectors",
      .source = "Hillis, Steele 1986; Sanders, Traff 2006, section 2",
      .keeps_rank_order = true,
      .in_place = true,
      .append = append};
}

} // namespace

} // namespace thalweg::strategies

namespace thalweg::strategies::scan {

namespace {

using schedule::Side;

// Before the round of distance d the output holds the last d operands up to this rank, or all if there are
// fewer.
void append_doubling(Builder& b) {
  const auto vector = schedule::output(0, b.canonical());
  b.copy(schedule::input(0, b.canonical()), vector);
  if (b.ranks() == 1)
    return;
  const auto arriving = schedule::scratch(b.scratch_blocks(b.canonical()), b.canonical());
  for (std::int64_t distance = 1; distance < b.ranks(); distance *= 2) {
    b.round();
    if (b.rank() + distance < b.ranks())
      b.send(static_cast<Rank>(b.rank() + distance), vector);
    if (b.rank() < distance)
      continue;
    b.receive(static_cast<Rank>(b.rank() - distance), arriving);
    b.round();
    b.combine(arriving, vector, Side::left);
  }
}

} // namespace

Strategy recursive_doubling() {
  return recursive_doubling_of(Operation::scan, append_doubling);
}

namespace {

// Up: the last rank of each block of 2d ranks adds the sum of the lower half. Down: a rank that knows its
// whole prefix gives it to the last rank of the lower half of the block behind it.
void append_binomial(Builder& b) {
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
          .append = append_binomial};
}

} // namespace thalweg::strategies::scan

namespace thalweg::strategies::exscan {

namespace {

using schedule::Side;

// Two running values: `sum` the last d operands up to and with this rank's own, to be sent; the output the
// same without its own. So there are no more rounds than for a scan.
void append_doubling(Builder& b) {
  if (b.ranks() == 1)
    return;
  const std::int32_t blocks = b.canonical();
  const auto result = schedule::output(0, blocks);
  const auto sum = schedule::scratch(b.scratch_blocks(blocks), blocks);
  const auto arriving = schedule::scratch(b.scratch_blocks(blocks), blocks);
  b.copy(schedule::input(0, blocks), sum);
  for (std::int64_t distance = 1; distance < b.ranks(); distance *= 2) {
    b.round();
    if (b.rank() + distance < b.ranks())
      b.send(static_cast<Rank>(b.rank() + distance), sum);
    if (b.rank() < distance)
      continue;
    b.receive(static_cast<Rank>(b.rank() - distance), distance == 1 ? result : arriving);
    b.round();
    if (distance > 1)
      b.combine(arriving, result, Side::left);
    if (b.rank() + 2 * distance < b.ranks())
      b.combine(distance == 1 ? result : arriving, sum, Side::left);
  }
}

} // namespace

Strategy recursive_doubling() {
  return recursive_doubling_of(Operation::exscan, append_doubling);
}

} // namespace thalweg::strategies::exscan
