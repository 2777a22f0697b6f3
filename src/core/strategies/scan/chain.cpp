// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/segments.hpp"

namespace thalweg::strategies::scan {

namespace {

using schedule::Side;
using schedule::StepId;

void append(Builder& b) {
  std::vector<StepId> under_way(static_cast<std::size_t>(b.parameter("window")), schedule::nothing);
  for (std::int32_t piece = 0; piece < b.pieces(); ++piece) {
    StepId& last = under_way[static_cast<std::size_t>(piece) % under_way.size()];
    const StepId copied = b.copy(schedule::input(piece), schedule::output(piece), {last});
    last = copied == schedule::nothing ? last : copied;
    if (b.rank() > 0)
      last = b.receive_combine(b.rank() - 1, schedule::output(piece), Side::left, {last});
    if (b.rank() + 1 < b.ranks())
      last = b.send(b.rank() + 1, schedule::output(piece), {last});
  }
}

} // namespace

Strategy chain() {
  return {.name = "chain",
          .operation = Operation::scan,
          .summary =
              "each rank adds its own to what the rank before it sends and passes it on, segment by segment",
          .wins_when = "few ranks, or large vectors",
          .source = "Sanders, Traff 2006, section 3 (linear pipeline)",
          .parameters = {segment_parameter(32 << 10), piece_window_parameter()},
          .keeps_rank_order = true,
          .in_place = true,
          .pieces = segments,
          .append = append};
}

} // namespace thalweg::strategies::scan
