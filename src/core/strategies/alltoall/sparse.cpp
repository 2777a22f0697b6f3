// SPDX-License-Identifier: BSD-3-Clause
#include "base/arithmetic.hpp"
#include "strategies/pacing.hpp"

namespace thalweg::strategies::alltoall {

namespace {

// The engine leaves out messages of no bytes on both sides, so a rank with few partners has few steps.
// Receives are all posted at once: which of them carry anything is known, and nobody waits in line behind an
// idle partner. Sends go out nearest first, `window` at a time.
void append(Builder& b) {
  const Rank self = b.rank();
  const auto window = static_cast<std::size_t>(b.parameter("window"));
  b.copy(schedule::input(self), schedule::output(self));
  for (std::int32_t k = 1; k < b.ranks(); ++k) {
    const auto from = static_cast<Rank>(modulo(self - k, b.ranks()));
    b.receive(from, schedule::output(from));
  }
  schedule::After sends;
  for (std::int32_t k = 1; k < b.ranks(); ++k) {
    const Rank to = (self + k) % b.ranks();
    const bool waits = sends.size() >= window;
    sends.push_back(b.send(to, schedule::input(to),
                           waits ? schedule::After{sends[sends.size() - window]} : schedule::After{}));
  }
}

} // namespace

Strategy sparse() {
  return {.name = "sparse",
          .operation = Operation::alltoall,
          .summary = "posts all receives, sends a window at a time; empty blocks cost nothing",
          .wins_when = "counts are mostly zero (many-to-many)",
          .source = "Kumar 2005, section 3.3 (direct many-to-many), windowed",
          .parameters = {window_parameter(16)},
          .unequal_blocks = true,
          .append = append};
}

} // namespace thalweg::strategies::alltoall
