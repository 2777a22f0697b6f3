// SPDX-License-Identifier: BSD-3-Clause
#include "base/arithmetic.hpp"
#include "strategies/allgather/layout.hpp"

#include <algorithm>

namespace thalweg::strategies::allgather {

namespace {

using schedule::Buffer;
using schedule::wrapped;

// Before the step of `unit` = radix^x a rank holds the blocks of the `unit` ranks from itself on, round the
// end. They go from and to their places in the output, so nothing is rotated in the end.
void append_bruck(Builder& b) {
  const std::int64_t ranks = b.ranks();
  const std::int64_t radix = b.parameter("radix");
  append_own(b);
  for (std::int64_t unit = 1; unit < ranks; unit *= radix) {
    b.round();
    for (std::int64_t distance = unit; distance < std::min(ranks, unit * radix); distance += unit) {
      const std::int64_t count = std::min(unit, ranks - distance);
      const auto from = static_cast<Rank>((b.rank() + distance) % ranks);
      b.receive(from, wrapped(Buffer::output, from, count, ranks));
      b.send(static_cast<Rank>(modulo(b.rank() - distance, ranks)),
             wrapped(Buffer::output, b.rank(), count, ranks));
    }
  }
}

} // namespace

Strategy bruck() {
  return {.name = "bruck",
          .operation = Operation::allgather,
          .summary = "dissemination: holds radix times as many blocks after each of log_radix P steps",
          .wins_when = "short blocks, any number of ranks",
          .source = "Bruck, Ho, Kipnis, Upfal, Weathersby 1997, section 4, without its rotation; Nishtala "
                    "2009 (dissemination)",
          .parameters =
              {{.name = "radix",
                .kind = ParameterKind::count,
                .default_value = 2,
                .min = 2,
                .max = 65536,
                .description =
                    "how many times as many blocks a rank holds after a step, which takes radix-1 messages",
                .proven_at = {3, 4, 8}}},
          .unequal_blocks = true,
          .in_place = true,
          .order_matters = true,
          .append = append_bruck};
}

namespace {

// Distances halve instead of doubling: after the step of distance d a rank holds the blocks of every d-th
// rank before it, so the step that moves half of all data is the one between neighbors.
void append_sparbit(Builder& b) {
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
          .append = append_sparbit};
}

} // namespace thalweg::strategies::allgather
