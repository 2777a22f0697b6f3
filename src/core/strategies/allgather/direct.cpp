// SPDX-License-Identifier: BSD-3-Clause

// Direct all-gathers: each rank sends its block to every other one. They differ in the order of partners and
// the pace.

#include "base/arithmetic.hpp"
#include "strategies/pacing.hpp"
#include "strategies/strategy.hpp"

namespace thalweg::strategies::allgather {

namespace {

/// The own block to each partner in that order, at the pace of the parameters.
void append_in_order(Builder& b, std::span<const Exchange> order) {
  b.copy(schedule::input(0), schedule::output(b.rank()));
  append_exchanges(
      b, order, [](Rank) { return schedule::input(0); }, [](Rank from) { return schedule::output(from); },
      pace_of(b));
}

void append_at_once(Builder& b) {
  b.copy(schedule::input(0), schedule::output(b.rank()));
  for (std::int32_t k = 1; k < b.ranks(); ++k) {
    const auto from = static_cast<Rank>(modulo(b.rank() - k, b.ranks()));
    b.receive(from, schedule::output(from));
  }
  for (std::int32_t k = 1; k < b.ranks(); ++k)
    b.send((b.rank() + k) % b.ranks(), schedule::input(0));
}

} // namespace

Strategy direct() {
  return {.name = "direct",
          .operation = Operation::allgather,
          .summary = "posts every receive and every send at once",
          .wins_when = "few ranks, or more ranks than cores",
          .source = "Kumar 2005, section 3.1 (direct)",
          .unequal_blocks = true,
          .in_place = true,
          .append = append_at_once};
}

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
          .append = [](Builder& b) { append_in_order(b, cyclic_order(b.rank(), b.ranks())); }};
}

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
          .append = [](Builder& b) { append_in_order(b, prefix_order(b.rank(), b.ranks())); }};
}

} // namespace thalweg::strategies::allgather
