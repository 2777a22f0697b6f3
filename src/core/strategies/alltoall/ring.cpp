// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/alltoall/paired.hpp"
#include "strategies/orders.hpp"

namespace thalweg::strategies::alltoall {

namespace {

void append(Builder& b) {
  append_direct(b, ring_order(b.rank(), b.ranks()), pace_of(b));
}

} // namespace

Strategy ring() {
  return {.name = "ring",
          .operation = Operation::alltoall,
          .summary = "exchanges with the nearest ranks first, both ways in turn",
          .wins_when = "long blocks on rings and tori, or where neighbors share a node",
          .source = "Suh and Yalamanchili 1998, order of distances on a ring; Kumar 2005, section 4.1",
          .parameters = {window_parameter(1), barrier_parameter()},
          .unequal_blocks = true,
          .order_matters = true,
          .append = append};
}

} // namespace thalweg::strategies::alltoall
