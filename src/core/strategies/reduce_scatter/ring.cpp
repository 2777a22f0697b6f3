// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/ring.hpp"

#include "strategies/segments.hpp"

namespace thalweg::strategies::reduce_scatter {

namespace {

void append(Builder& b) {
  if (b.ranks() == 1) {
    b.copy(schedule::input(0, b.pieces()), schedule::output(0, b.pieces()));
    return;
  }
  const std::int32_t home = b.scratch_blocks(b.canonical());
  Ring ring(b, {b.pieces(), b.parameter("window")}, schedule::Buffer::scratch, home);
  ring.reduce_scatter(schedule::Buffer::output, 0);
}

} // namespace

Strategy ring() {
  return {.name = "ring",
          .operation = Operation::reduce_scatter,
          .summary = "each block travels once round the ring and is summed up on the way; segments move on "
                     "by themselves",
          .wins_when = "long blocks on few ranks, or neighbors only",
          .source = "Patarasuk, Yuan 2009; Open MPI's coll/tuned (ring)",
          .parameters = {segment_parameter(0), piece_window_parameter(2)},
          .unequal_blocks = true,
          .order_matters = true,
          .pieces = segments,
          .append = append};
}

} // namespace thalweg::strategies::reduce_scatter
