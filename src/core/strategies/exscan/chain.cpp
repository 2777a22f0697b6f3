// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/segments.hpp"

namespace thalweg::strategies::exscan {

namespace {

using schedule::Side;
using schedule::StepId;

// The output is what comes; what goes on is that with the own input on its right, in scratch. The input is
// saved there first, for in place the output lies on it.
void append(Builder& b) {
  const bool is_first = b.rank() == 0;
  const bool is_last = b.rank() + 1 == b.ranks();
  const std::int32_t sum = is_first || is_last ? 0 : b.scratch_blocks(b.canonical());
  std::vector<StepId> under_way(static_cast<std::size_t>(b.parameter("window")), schedule::nothing);
  for (std::int32_t piece = 0; piece < b.pieces(); ++piece) {
    StepId& last = under_way[static_cast<std::size_t>(piece) % under_way.size()];
    if (!is_first && !is_last)
      last = b.copy(schedule::input(piece), schedule::scratch(sum + piece), {last});
    if (!is_first)
      last = b.receive(b.rank() - 1, schedule::output(piece), {last});
    if (!is_first && !is_last)
      last = b.combine(schedule::output(piece), schedule::scratch(sum + piece), Side::left, {last});
    if (!is_last)
      last = b.send(b.rank() + 1, is_first ? schedule::input(piece) : schedule::scratch(sum + piece), {last});
  }
}

} // namespace

Strategy chain() {
  return {
      .name = "chain",
      .operation = Operation::exscan,
      .summary =
          "each rank keeps what the rank before it sends, adds its own and passes it on, segment by segment",
      .wins_when = "few ranks, or large vectors",
      .source = "Sanders, Traff 2006, section 3 (linear pipeline)",
      .parameters = {segment_parameter(32 << 10), piece_window_parameter()},
      .keeps_rank_order = true,
      .in_place = true,
      .pieces = segments,
      .append = append};
}

} // namespace thalweg::strategies::exscan
