// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/ring.hpp"
#include "strategies/segments.hpp"

namespace thalweg::strategies::allreduce {

namespace {

/// Segments of a rank's part of the vector.
std::int32_t segments_a_part(const Problem& problem) {
  return segment_count(problem.unit_bytes / problem.ranks, problem.parameter("segment"));
}

void append(Builder& b) {
  const std::int32_t segments = segments_a_part(b.problem());
  if (b.ranks() == 1) {
    b.copy(schedule::input(0, b.pieces()), schedule::output(0, b.pieces()));
    return;
  }
  Ring ring(b, {segments, b.parameter("window")}, schedule::Buffer::output, 0);
  ring.reduce_scatter(schedule::Buffer::output, b.rank() * segments);
  ring.allgather();
}

} // namespace

Strategy segmented_ring() {
  Parameter segment = segment_parameter(std::int64_t{64} << 10);
  segment.proven_at = {100, 1000, 0};
  return {.name = "segmented_ring",
          .operation = Operation::allreduce,
          .summary = "the ring with each part cut into segments that move on as soon as they are summed up",
          .wins_when = "very long vectors, where sending and combining should overlap",
          .source = "Open MPI's coll/tuned (segmented ring); Patarasuk, Yuan 2009",
          .parameters = {segment, piece_window_parameter(2)},
          .in_place = true,
          .order_matters = true,
          .pieces = [](const Problem& problem) { return problem.ranks * segments_a_part(problem); },
          .append = append};
}

} // namespace thalweg::strategies::allreduce
