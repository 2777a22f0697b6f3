// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/strategy.hpp"

namespace thalweg::strategies::reduce_scatter {

namespace {

// Step k: the block of the rank k ahead leaves, this rank's own block comes from the rank k behind.
void append(Builder& b) {
  const Rank self = b.rank();
  if (b.ranks() == 1)
    b.copy(schedule::input(self), schedule::output(0));
  for (std::int32_t k = 1; k < b.ranks(); ++k) {
    const Rank to = (self + k) % b.ranks();
    const Rank from = (self - k + b.ranks()) % b.ranks();
    b.round();
    b.send(to, schedule::input(to));
    if (k == 1) {
      const schedule::StepId come = b.receive(from, schedule::output(0));
      b.combine(schedule::input(self), schedule::output(0), schedule::Side::right, {come});
    } else {
      b.receive_combine(from, schedule::output(0), schedule::Side::left);
    }
  }
}

} // namespace

Strategy pairwise() {
  return {.name = "pairwise",
          .operation = Operation::reduce_scatter,
          .summary = "P - 1 steps: send the block of the rank k ahead, add what comes from the rank k behind",
          .wins_when = "long blocks on switched networks, operators that commute",
          .source = "Thakur, Rabenseifner, Gropp 2005, section 4.4 (pairwise exchange)",
          .unequal_blocks = true,
          .order_matters = true,
          .append = append};
}

} // namespace thalweg::strategies::reduce_scatter
