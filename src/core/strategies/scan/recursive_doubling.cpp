// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/strategy.hpp"

namespace thalweg::strategies::scan {

namespace {

using schedule::Side;

// Before the round of distance d the output holds the last d operands up to this rank, or all if there are
// fewer.
void append(Builder& b) {
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
  return {
      .name = "recursive_doubling",
      .operation = Operation::scan,
      .summary =
          "in rounds of distance 1, 2, 4, .. each rank sends what it has so far to the rank that far ahead",
      .wins_when = "short vectors",
      .source = "Hillis, Steele 1986; Sanders, Traff 2006, section 2",
      .keeps_rank_order = true,
      .in_place = true,
      .append = append};
}

} // namespace thalweg::strategies::scan
