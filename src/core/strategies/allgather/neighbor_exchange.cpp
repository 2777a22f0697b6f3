// SPDX-License-Identifier: BSD-3-Clause
#include "base/arithmetic.hpp"
#include "strategies/allgather/layout.hpp"

namespace thalweg::strategies::allgather {

namespace {

// Pairs (0 1) (2 3) .. first exchange single blocks. From then on every rank has its pair's two blocks, and
// exchanges the two it got last with its neighbor outside the pair and inside it in turn: blocks travel both
// ways round, in twos.
void append(Builder& b) {
  const Rank pair = b.rank() - b.rank() % 2;
  const bool even = b.rank() == pair;
  const std::int32_t ranks = b.ranks();
  const Rank inside = even ? b.rank() + 1 : b.rank() - 1;
  const auto outside = static_cast<Rank>(modulo(even ? b.rank() - 1 : b.rank() + 1, ranks));
  append_own(b);
  if (ranks == 1)
    return;
  b.receive(inside, blocks_of(inside, 1));
  b.send(inside, blocks_of(b.rank(), 1));
  Rank latest = pair;
  for (std::int32_t step = 1; step < ranks / 2; ++step) {
    // Odd steps bring what lies on the far side of the outer neighbor, even ones of the inner.
    const std::int32_t pairs_away = (step + 1) / 2;
    const bool downwards = (step % 2 == 1) == even;
    const auto coming = static_cast<Rank>(modulo(pair + (downwards ? -2 : 2) * pairs_away, ranks));
    const Rank partner = step % 2 == 1 ? outside : inside;
    b.round();
    b.receive(partner, blocks_of(coming, 2));
    b.send(partner, blocks_of(latest, 2));
    latest = coming;
  }
}

} // namespace

Strategy neighbor_exchange() {
  return {.name = "neighbor_exchange",
          .operation = Operation::allgather,
          .summary = "exchanges two blocks with the left and the right neighbor in turn: P/2 steps",
          .wins_when = "long blocks on an even number of ranks: half the ring's messages",
          .source = "Chen, Zhang, Zhang, Yuan 2005, neighbor exchange",
          .unequal_blocks = true,
          .in_place = true,
          .order_matters = true,
          .unsupported_reason = [](const Problem& problem) -> std::optional<std::string> {
            if (problem.ranks > 1 && problem.ranks % 2 == 1)
              return "it pairs ranks, and their number is odd";
            return std::nullopt;
          },
          .append = append};
}

} // namespace thalweg::strategies::allgather
