// SPDX-License-Identifier: BSD-3-Clause
#include "base/arithmetic.hpp"
#include "strategies/strategy.hpp"

namespace thalweg::strategies::barrier {

namespace {

// Ranks from the largest power of two on first tell the one that far below, and are told by it at the end.
void append(Builder& b) {
  const std::int32_t exchanging = 1 << floor_log(2, b.ranks());
  const Rank self = b.rank();
  if (self >= exchanging) {
    b.send_token(self - exchanging);
    b.round();
    b.receive_token(self - exchanging);
    return;
  }
  const bool has_folded = self + exchanging < b.ranks();
  if (has_folded)
    b.receive_token(self + exchanging);
  for (std::int32_t bit = 1; bit < exchanging; bit *= 2) {
    b.round();
    b.receive_token(self ^ bit);
    b.send_token(self ^ bit);
  }
  b.round();
  if (has_folded)
    b.send_token(self + exchanging);
}

} // namespace

Strategy recursive_doubling() {
  return {.name = "recursive_doubling",
          .operation = Operation::barrier,
          .summary = "pairs 1, 2, 4, .. apart exchange tokens; ranks beyond a power of two fold in first",
          .wins_when = "a power of two of ranks on links that carry both directions at once",
          .source = "Thakur, Rabenseifner, Gropp 2005, section 4.1; Open MPI coll/base (recursive doubling)",
          .order_matters = true,
          .append = append};
}

} // namespace thalweg::strategies::barrier
