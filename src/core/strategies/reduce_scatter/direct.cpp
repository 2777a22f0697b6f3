// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/exchange.hpp"

#include <numeric>

namespace thalweg::strategies::reduce_scatter {

namespace {

void append(Builder& b) {
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
          .source = "Nishtala 2009, chapter 5 (flat exchange)",
          .keeps_rank_order = true,
          .unequal_blocks = true,
          .append = append};
}

} // namespace thalweg::strategies::reduce_scatter
