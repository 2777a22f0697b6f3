// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/orders.hpp"

namespace thalweg::strategies::allgather {

namespace {

void append(Builder& b) {
  b.copy(schedule::input(0), schedule::output(b.rank()));
  append_exchanges(
      b, cyclic_order(b.rank(), b.ranks()), [](Rank) { return schedule::input(0); },
      [](Rank from) { return schedule::output(from); }, pace_of(b));
}

} // namespace

Strategy cyclic() {
  return {.name = "cyclic",
          .operation = Operation::allgather,
          .summary = "step k sends the own block to rank+k and receives from rank-k",
          .wins_when = "long blocks, any number of ranks: every receiver has one sender at a time",
          .source = "Kumar 2005, section 4.3 (cyclic shift permutations)",
          .parameters = {window_parameter(1), barrier_parameter()},
          .unequal_blocks = true,
          .in_place = true,
          .order_matters = true,
          .append = append};
}

} // namespace thalweg::strategies::allgather
