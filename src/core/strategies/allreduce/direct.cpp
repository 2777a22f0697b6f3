// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/whole_exchange.hpp"

#include <numeric>

namespace thalweg::strategies::allreduce {

namespace {

// One round of a recursive exchange in which all ranks are one group.
void append(Builder& b) {
  std::vector<Rank> everybody(static_cast<std::size_t>(b.ranks()));
  std::iota(everybody.begin(), everybody.end(), 0);
  append_whole_exchange(b, {everybody}, {}, -1);
}

} // namespace

Strategy direct() {
  return {.name = "direct",
          .operation = Operation::allreduce,
          .summary = "everybody sends his vector to everybody and combines what comes in the order of ranks",
          .wins_when = "tiny vectors on few ranks: one latency",
          .source = "Nishtala 2009, chapter 5 (flat dissemination)",
          .keeps_rank_order = true,
          .in_place = true,
          .append = append};
}

} // namespace thalweg::strategies::allreduce
