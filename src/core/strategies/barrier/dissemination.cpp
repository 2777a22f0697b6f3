// SPDX-License-Identifier: BSD-3-Clause
#include "topology/dissemination.hpp"
#include "strategies/strategy.hpp"

namespace thalweg::strategies::barrier {

namespace {

void append(Builder& b) {
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
          .source = "Hensgen, Finkel, Manber 1988; Nishtala 2009, section 6.1 (radix k)",
          .parameters = {{.name = "radix",
                          .default_value = 2,
                          .min = 2,
                          .max = 1024,
                          .description = "a round spreads what is known to radix times as many ranks",
                          .proven_at = {3, 4, 8}}},
          .order_matters = true,
          .append = append};
}

} // namespace thalweg::strategies::barrier
