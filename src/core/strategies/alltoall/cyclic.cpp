// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/alltoall/paired.hpp"
#include "strategies/orders.hpp"

namespace thalweg::strategies::alltoall {

namespace {

void append(Builder& b) {
  append_direct(b, cyclic_order(b.rank(), b.ranks()), pace_of(b));
}

} // namespace

Strategy cyclic() {
  return {.name = "cyclic",
          .operation = Operation::alltoall,
          .summary = "step k sends to rank+k and receives from rank-k",
          .wins_when = "long blocks, any number of ranks: every receiver has one sender at a time",
          .source = "Kumar 2005, section 4.2.2 (cyclic send)",
          .parameters = {window_parameter(1), barrier_parameter()},
          .unequal_blocks = true,
          .order_matters = true,
          .append = append};
}

} // namespace thalweg::strategies::alltoall
