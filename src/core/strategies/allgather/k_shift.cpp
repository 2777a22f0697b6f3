// SPDX-License-Identifier: BSD-3-Clause
#include "base/arithmetic.hpp"
#include "strategies/allgather/layout.hpp"
#include "strategies/pacing.hpp"

#include <algorithm>

namespace thalweg::strategies::allgather {

namespace {

// A block travels in strides of k; each rank that has it in hand gives it to the k-1 ranks around,
// ceil((k-1)/2) below and the others above. Where P is no multiple of k the last rank's surroundings would
// overlap the first one's: what lies `low` below its origin or further round is left out.
class Strides {
public:
  Strides(std::int32_t ranks, std::int64_t k)
      : ranks_(ranks), k_(static_cast<std::int32_t>(std::min<std::int64_t>(k, ranks))), low_(k_ / 2) {}

  std::int32_t k() const { return k_; }
  std::int32_t iterations() const { return static_cast<std::int32_t>(ceil_divide(ranks_, k_)); }
  std::int32_t lowest() const { return -low_; }
  std::int32_t highest() const { return k_ - 1 - low_; }
  /// Is the rank so many above a block's origin still to be given it?
  bool is_open(std::int32_t above) const { return above < ranks_ - low_; }

private:
  std::int32_t ranks_;
  std::int32_t k_;
  std::int32_t low_;
};

void append(Builder& b) {
  const Strides strides(b.ranks(), b.parameter("k"));
  const auto barrier = static_cast<Barrier>(b.parameter("barrier"));
  const auto ahead = [&](std::int32_t by) { return static_cast<Rank>(modulo(b.rank() + by, b.ranks())); };
  append_own(b);
  for (std::int32_t i = 0; i < strides.iterations(); ++i) {
    const std::int32_t at = i * strides.k();
    std::vector<Exchange> exchanges;
    for (std::int32_t by = strides.lowest(); by <= strides.highest(); ++by)
      if (by != 0 && strides.is_open(at + by))
        exchanges.push_back({ahead(by), ahead(-by)});
    if (i + 1 < strides.iterations() && strides.is_open(at + strides.k()))
      exchanges.push_back({ahead(strides.k()), ahead(-strides.k())});
    const auto in_hand = [&](Rank rank) {
      return blocks_of(static_cast<Rank>(modulo(rank - at, b.ranks())), 1);
    };
    append_exchanges(
        b, exchanges, [&](Rank) { return in_hand(b.rank()); }, in_hand,
        {barrier == Barrier::step ? Barrier::step : Barrier::lb, std::max<std::size_t>(exchanges.size(), 1)});
    if (barrier == Barrier::none)
      b.round();
    else if (i + 1 < strides.iterations())
      append_token_barrier(b);
  }
}

} // namespace

Strategy k_shift() {
  return {
      .name = "k_shift",
      .operation = Operation::allgather,
      .summary = "sends what it has to the k-1 nearest ranks on both sides and on to rank+k, P/k times",
      .wins_when = "long blocks on large fat-trees with missing nodes",
      .source = "Kumar 2005, section 4.3.4 (k-shift)",
      .parameters = {{.name = "k",
                      .kind = ParameterKind::count,
                      .default_value = 8,
                      .min = 1,
                      .max = 65536,
                      .description =
                          "ranks that get each block from the same one; 1, 2, 3, 4, 8 are free of contention",
                      .proven_at = {3, 1, 4, 20}},
                     barrier_parameter()},
      .unequal_blocks = true,
      .in_place = true,
      .order_matters = true,
      .append = append};
}

} // namespace thalweg::strategies::allgather
