// SPDX-License-Identifier: BSD-3-Clause

// Barriers in rounds of tokens, without a tree.

#include "base/arithmetic.hpp"
#include "strategies/strategy.hpp"
#include "topology/exchanges.hpp"

namespace thalweg::strategies::barrier {

namespace {

void append_dissemination(Builder& b) {
  const auto radix = static_cast<std::int32_t>(b.parameter("radix"));
  for (int round = 0; round < topology::dissemination_rounds(b.ranks(), radix); ++round) {
    b.round();
    for (const std::int32_t offset : topology::dissemination_offsets(b.ranks(), radix, round)) {
      b.receive_token((b.rank() - offset + b.ranks()) % b.ranks());
      b.send_token(static_cast<Rank>((std::int64_t{b.rank()} + offset) % b.ranks()));
    }
  }
}

} // namespace

Strategy dissemination() {
  return {.name = "dissemination",
          .operation = Operation::barrier,
          .summary =
              "in round i every rank tells the radix-1 ranks that are multiples of radix^i ahead of it",
          .wins_when =
              "ranks that do not share cores; the larger the radix, the fewer rounds and the more messages",
          .source = "Hensgen, Finkel, Manber 1988; Nishtala 2009 (radix k)",
          .parameters = {{.name = "radix",
                          .default_value = 2,
                          .min = 2,
                          .max = 1024,
                          .description = "a round spreads what is known to radix times as many ranks",
                          .proven_at = {3, 4, 8}}},
          .order_matters = true,
          .append = append_dissemination};
}

namespace {

// Ranks from the largest power of two on first tell the one that far below, and are told by it at the end.
void append_doubling(Builder& b) {
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
          .append = append_doubling};
}

namespace {

// The first time round the token says that the ranks passed have entered, the second time that all have.
void append_ring(Builder& b) {
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
          .append = append_ring};
}

} // namespace thalweg::strategies::barrier
