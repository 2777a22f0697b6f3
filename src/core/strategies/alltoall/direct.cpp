// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/strategy.hpp"

namespace thalweg::strategies::alltoall {

namespace {

// Step k posts the exchange with the ranks k ahead and k behind, so that no rank is everybody's first target.
void append(Builder& b) {
  const Rank self = b.rank();
  b.copy(schedule::input(self), schedule::output(self));
  for (std::int32_t k = 1; k < b.ranks(); ++k) {
    const Rank from = (self - k + b.ranks()) % b.ranks();
    b.receive(from, schedule::output(from));
  }
  for (std::int32_t k = 1; k < b.ranks(); ++k) {
    const Rank to = (self + k) % b.ranks();
    b.send(to, schedule::input(to));
  }
}

} // namespace

Strategy direct() {
  return {.name = "direct",
          .operation = Operation::alltoall,
          .summary = "posts every receive and every send at once",
          .wins_when = "few ranks, or more ranks than cores",
          .source = "Kumar 2005, section 3.1 (direct)",
          .unequal_blocks = true,
          .append = append};
}

} // namespace thalweg::strategies::alltoall
