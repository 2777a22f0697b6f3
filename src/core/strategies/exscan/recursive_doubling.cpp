// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/strategy.hpp"

namespace thalweg::strategies::exscan {

namespace {

using schedule::Side;

// Two running values: `sum` the last d operands up to and with this rank's own, to be sent; the output the
// same without its own. So there are no more rounds than for a scan.
void append(Builder& b) {
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
  return {
      .name = "recursive_doubling",
      .operation = Operation::exscan,
      .summary =
          "in rounds of distance 1, 2, 4, .. each rank sends what it has so far to the rank that far ahead",
      .wins_when = "short vectors",
      .source = "Hillis, Steele 1986; Sanders, Traff 2006, section 2",
      .keeps_rank_order = true,
      .in_place = true,
      .append = append};
}

} // namespace thalweg::strategies::exscan
