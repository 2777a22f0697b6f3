// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/ring.hpp"
#include "strategies/segments.hpp"

namespace thalweg::strategies::allgather {

namespace {

void append(Builder& b) {
  const std::int32_t pieces = b.pieces();
  b.copy(schedule::input(0, pieces), schedule::output(b.rank() * pieces, pieces));
  b.round();
  if (b.ranks() > 1)
    Ring(b, {pieces, b.parameter("window")}, schedule::Buffer::output, 0).allgather();
}

} // namespace

Strategy ring() {
  return {.name = "ring",
          .operation = Operation::allgather,
          .summary = "hands each block on to the next rank: P-1 steps between neighbors; segments move on by "
                     "themselves",
          .wins_when = "long blocks, or the network is a ring or far traffic is dear",
          .source = "Kumar 2005, section 4.3.1 (ring)",
          .parameters = {segment_parameter(0), piece_window_parameter(2)},
          .unequal_blocks = true,
          .in_place = true,
          .order_matters = true,
          .pieces = segments,
          .append = append};
}

} // namespace thalweg::strategies::allgather
