// SPDX-License-Identifier: BSD-3-Clause

// Scans from each rank to the next one, as a pipeline, or from each to all behind it.

#include "strategies/segments.hpp"

namespace thalweg::strategies {

namespace {

/// What both chains have in common.
Strategy chain_of(Operation operation, std::string_view summary, void (*append)(Builder&)) {
  return {.name = "chain",
          .operation = operation,
          .summary = summary,
          .wins_when = "few ranks, or large vectors",
          .source = "Sanders, Traff 2006, section 3 (linear pipeline)",
          .parameters = {segment_parameter(32 << 10), piece_window_parameter()},
          .keeps_rank_order = true,
          .in_place = true,
          .pieces = segments,
          .append = append};
}

} // namespace

} // namespace thalweg::strategies

namespace thalweg::strategies::scan {

namespace {

using schedule::Side;

void append_direct(Builder& b) {
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
          .source = "Nishtala 2009 (flat)",
          .keeps_rank_order = true,
          .in_place = true,
          .append = append_direct};
}

namespace {

using schedule::StepId;

void append_chain(Builder& b) {
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
  return chain_of(
      Operation::scan,
      "each rank adds its own to what the rank before it sends and passes it on, segment by segment",
      append_chain);
}

} // namespace thalweg::strategies::scan

namespace thalweg::strategies::exscan {

namespace {

using schedule::Side;
using schedule::StepId;

// The output is what comes; what goes on is that with the own input on its right, in scratch. The input is
// saved there first, for in place the output lies on it.
void append_chain(Builder& b) {
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
  return chain_of(
      Operation::exscan,
      "each rank keeps what the rank before it sends, adds its own and passes it on, segment by segment",
      append_chain);
}

} // namespace thalweg::strategies::exscan
