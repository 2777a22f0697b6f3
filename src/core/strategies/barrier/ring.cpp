// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/strategy.hpp"

namespace thalweg::strategies::barrier {

namespace {

// The first time round the token says that the ranks passed have entered, the second time that all have.
void append(Builder& b) {
  const Rank from = (b.rank() + b.ranks() - 1) % b.ranks();
  const Rank to = (b.rank() + 1) % b.ranks();
  if (b.ranks() == 1)
    return;
  for (int turn = 0; turn < 2; ++turn) {
    if (b.rank() > 0) {
      b.receive_token(from);
      b.round();
    }
    if (turn == 0 || to != 0) {
      b.send_token(to);
      b.round();
    }
    if (b.rank() == 0 && turn == 0) {
      b.receive_token(from);
      b.round();
    }
  }
}

} // namespace

Strategy ring() {
  return {.name = "ring",
          .operation = Operation::barrier,
          .summary = "a token goes round all ranks twice",
          .wins_when = "two ranks, or when a rank must never have more than one message under way",
          .source = "Open MPI coll/base (double ring)",
          .order_matters = true,
          .append = append};
}

} // namespace thalweg::strategies::barrier
