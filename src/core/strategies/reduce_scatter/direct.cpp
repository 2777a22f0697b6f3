// SPDX-License-Identifier: BSD-3-Clause

// Each block goes straight to its owner, who combines: all at once, or in steps.

#include "strategies/exchange.hpp"
#include "strategies/strategy.hpp"

#include <numeric>

namespace thalweg::strategies::reduce_scatter {

namespace {

void append_direct(Builder& b) {
  const Rank self = b.rank();
  if (b.ranks() == 1) {
    b.copy(schedule::input(self), schedule::output(0));
    return;
  }
  for (std::int32_t k = 1; k < b.ranks(); ++k) {
    const Rank to = (self + k) % b.ranks();
    b.send(to, schedule::input(to));
  }
  std::vector<Rank> everybody(static_cast<std::size_t>(b.ranks()));
  std::iota(everybody.begin(), everybody.end(), 0);
  receive_in_order(b, everybody, schedule::input(self), schedule::output(0));
}

} // namespace

Strategy direct() {
  return {.name = "direct",
          .operation = Operation::reduce_scatter,
          .summary = "everybody sends each block to its owner, who combines them in the order of ranks",
          .wins_when = "short blocks on few ranks",
          .source = "Nishtala 2009 (flat exchange)",
          .keeps_rank_order = true,
          .unequal_blocks = true,
          .append = append_direct};
}

namespace {

// Step k: the block of the rank k ahead leaves, this rank's own block comes from the rank k behind.
void append_pairwise(Builder& b) {
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
          .append = append_pairwise};
}

} // namespace thalweg::strategies::reduce_scatter
