// SPDX-License-Identifier: BSD-3-Clause
#include "base/arithmetic.hpp"
#include "strategies/strategy.hpp"

namespace thalweg::strategies::allgather {

namespace {

void append(Builder& b) {
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
          .append = append};
}

} // namespace thalweg::strategies::allgather
