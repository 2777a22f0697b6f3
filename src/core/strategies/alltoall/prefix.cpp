// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/alltoall/paired.hpp"
#include "strategies/orders.hpp"

namespace thalweg::strategies::alltoall {

namespace {

void append(Builder& b) {
  append_direct(b, prefix_order(b.rank(), b.ranks()), pace_of(b));
}

} // namespace

Strategy prefix() {
  return {.name = "prefix",
          .operation = Operation::alltoall,
          .summary = "step j exchanges with rank XOR j; ranks rest where that partner does not exist",
          .wins_when = "long blocks on fat-trees, ranks a power of two: every step is free of contention",
          .source = "Kumar 2005, section 4.2.1 (prefix-send)",
          .parameters = {window_parameter(1), barrier_parameter()},
          .unequal_blocks = true,
          .order_matters = true,
          .append = append};
}

} // namespace thalweg::strategies::alltoall
