// SPDX-License-Identifier: BSD-3-Clause
#include "base/arithmetic.hpp"
#include "strategies/allgather/layout.hpp"

namespace thalweg::strategies::allgather {

namespace {

using schedule::Buffer;

// Distances halve instead of doubling: after the step of distance d a rank holds the blocks of every d-th
// rank before it, so the step that moves half of all data is the one between neighbors.
void append(Builder& b) {
  const std::int64_t ranks = b.ranks();
  append_own(b);
  for (std::int64_t distance = power(2, ceil_log(2, ranks)) / 2; distance >= 1; distance /= 2) {
    const std::int64_t held = ceil_divide(ranks, 2 * distance);
    const std::int64_t coming = ceil_divide(ranks, distance) - held;
    const auto from = static_cast<Rank>(modulo(b.rank() - distance, ranks));
    b.round();
    b.receive(from, wrapped_stride(Buffer::output, from, coming, -2 * distance, ranks));
    b.send(static_cast<Rank>((b.rank() + distance) % ranks),
           wrapped_stride(Buffer::output, b.rank(), coming, -2 * distance, ranks));
  }
}

} // namespace

Strategy sparbit() {
  return {.name = "sparbit",
          .operation = Operation::allgather,
          .summary = "log2 P steps of halving distance: the longer the messages, the nearer the partner",
          .wins_when = "medium blocks where neighbors in rank share a node or switch",
          .source = "Loch, Koslovski 2021, Sparbit",
          .unequal_blocks = true,
          .in_place = true,
          .order_matters = true,
          .append = append};
}

} // namespace thalweg::strategies::allgather
