// SPDX-License-Identifier: BSD-3-Clause
#include "base/arithmetic.hpp"
#include "strategies/allgather/layout.hpp"
#include "strategies/pacing.hpp"

#include <algorithm>

namespace thalweg::strategies::allgather {

namespace {

/// Size of the partitions: the largest power of two that is not above the parameter and divides the number of
/// ranks.
std::int32_t partition(const Builder& b) {
  std::int32_t size = 1;
  while (b.ranks() % (2 * size) == 0 && 2 * size <= b.parameter("k"))
    size *= 2;
  return size;
}

// In iteration i a rank has the block of rank - i k in hand: it exchanges it by prefix with the k-1 others of
// its partition and hands it on to rank + k, its successor in one of k rings that run through all partitions.
void append(Builder& b) {
  const std::int32_t k = partition(b);
  const std::int32_t iterations = b.ranks() / k;
  const auto barrier = static_cast<Barrier>(b.parameter("barrier"));
  append_own(b);
  for (std::int32_t i = 0; i < iterations; ++i) {
    std::vector<Exchange> exchanges;
    for (std::int32_t j = 1; j < k; ++j)
      exchanges.push_back({b.rank() ^ j, b.rank() ^ j});
    if (i + 1 < iterations)
      exchanges.push_back({(b.rank() + k) % b.ranks(), static_cast<Rank>(modulo(b.rank() - k, b.ranks()))});
    const auto in_hand = [&](Rank rank) {
      return blocks_of(static_cast<Rank>(modulo(rank - i * k, b.ranks())), 1);
    };
    append_exchanges(
        b, exchanges, [&](Rank) { return in_hand(b.rank()); }, in_hand,
        {barrier == Barrier::step ? Barrier::step : Barrier::lb, std::max<std::size_t>(exchanges.size(), 1)});
    if (barrier == Barrier::none)
      b.round();
    else if (i + 1 < iterations)
      append_token_barrier(b);
  }
}

} // namespace

Strategy k_prefix() {
  return {
      .name = "k_prefix",
      .operation = Operation::allgather,
      .summary = "prefix exchanges within partitions of k ranks, rings between partitions, in turn",
      .wins_when =
          "long blocks on large fat-trees without missing nodes: hardly any far traffic, no contention",
      .source = "Kumar 2005, section 4.3.3 (k-prefix)",
      .parameters =
          {{.name = "k",
            .kind = ParameterKind::count,
            .default_value = 8,
            .min = 1,
            .max = 65536,
            .description =
                "size of a partition: the largest power of two up to this that divides the ranks is taken",
            .proven_at = {2, 4, 64}},
           barrier_parameter()},
      .unequal_blocks = true,
      .in_place = true,
      .order_matters = true,
      .append = append};
}

} // namespace thalweg::strategies::allgather
