// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/orders.hpp"

namespace thalweg::strategies::allgather {

namespace {

void append(Builder& b) {
  b.copy(schedule::input(0), schedule::output(b.rank()));
  append_exchanges(
      b, prefix_order(b.rank(), b.ranks()), [](Rank) { return schedule::input(0); },
      [](Rank from) { return schedule::output(from); }, pace_of(b));
}

} // namespace

Strategy prefix() {
  return {.name = "prefix",
          .operation = Operation::allgather,
          .summary = "step j exchanges with rank XOR j; ranks rest where that partner does not exist",
          .wins_when = "long blocks on fat-trees, ranks a power of two: every step is free of contention",
          .source = "Kumar 2005, section 4.3.2 (prefix-send)",
          .parameters = {window_parameter(1), barrier_parameter()},
          .unequal_blocks = true,
          .in_place = true,
          .order_matters = true,
          .append = append};
}

} // namespace thalweg::strategies::allgather
