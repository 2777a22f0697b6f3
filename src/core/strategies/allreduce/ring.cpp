// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/ring.hpp"

namespace thalweg::strategies::allreduce {

namespace {

void append(Builder& b) {
  if (b.ranks() == 1) {
    b.copy(schedule::input(0), schedule::output(0));
    return;
  }
  Ring ring(b, {}, schedule::Buffer::output, 0);
  ring.reduce_scatter(schedule::Buffer::output, b.rank());
  ring.allgather();
}

} // namespace

Strategy ring() {
  return {
      .name = "ring",
      .operation = Operation::allreduce,
      .summary =
          "P - 1 steps of a ring sum up a part of the vector on each rank, P - 1 more pass the sums round",
      .wins_when = "very long vectors on few ranks, or neighbors only",
      .source = "Patarasuk, Yuan 2009 (bandwidth optimal all-reduce)",
      .in_place = true,
      .order_matters = true,
      .pieces = [](const Problem& problem) { return problem.ranks; },
      .append = append};
}

} // namespace thalweg::strategies::allreduce
