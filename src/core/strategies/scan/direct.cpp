// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/strategy.hpp"

namespace thalweg::strategies::scan {

namespace {

using schedule::Side;

void append(Builder& b) {
  const std::int32_t blocks = b.canonical();
  const auto own = schedule::input(0, blocks);
  const auto result = schedule::output(0, blocks);
  const std::int32_t arrived = b.rank() > 0 ? b.scratch_blocks(b.rank() * blocks) : 0;
  const auto from = [&](Rank rank) { return schedule::scratch(arrived + rank * blocks, blocks); };
  b.copy(own, result);
  for (Rank rank = b.rank() + 1; rank < b.ranks(); ++rank)
    b.send(rank, own);
  for (Rank rank = 0; rank < b.rank(); ++rank)
    b.receive(rank, from(rank));
  b.round(); // in place, the input is what the sum overwrites
  schedule::StepId last = schedule::nothing;
  for (Rank rank = b.rank() - 1; rank >= 0; --rank)
    last = b.combine(from(rank), result, Side::left, {last});
}

} // namespace

Strategy direct() {
  return {.name = "direct",
          .operation = Operation::scan,
          .summary = "every rank sends its vector to all ranks behind it, which combine what comes",
          .wins_when = "tiny vectors on few ranks: one latency",
          .source = "Nishtala 2009, chapter 5 (flat)",
          .keeps_rank_order = true,
          .in_place = true,
          .append = append};
}

} // namespace thalweg::strategies::scan
