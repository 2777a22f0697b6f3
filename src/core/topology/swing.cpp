// SPDX-License-Identifier: BSD-3-Clause
#include "topology/swing.hpp"

#include "base/arithmetic.hpp"

namespace thalweg::topology {

namespace {

/// (1 - (-2)^(exponent + 1)) / 3: 1, -1, 3, -5, 11, ..
std::int64_t signed_distance(int exponent) {
  return (1 - power(-2, exponent + 1)) / 3;
}

int exponent_of(int step, std::int32_t ranks, SwingOrder order) {
  return order == SwingOrder::short_first ? step : swing_steps(ranks) - 1 - step;
}

/// The digits of `number` mod `ranks` (a power of two) in base -2, as bits.
std::uint32_t negabinary(std::int64_t number, std::int32_t ranks) {
  constexpr std::uint32_t odd_positions = 0xaaaaaaaaU;
  return ((static_cast<std::uint32_t>(number) + odd_positions) ^ odd_positions) &
         static_cast<std::uint32_t>(ranks - 1);
}

} // namespace

int swing_steps(std::int32_t ranks) {
  return ceil_log(2, ranks);
}

Rank swing_partner(Rank rank, int step, std::int32_t ranks, SwingOrder order) {
  const std::int64_t distance = signed_distance(exponent_of(step, ranks, order));
  return static_cast<Rank>(modulo(rank % 2 == 0 ? rank + distance : rank - distance, ranks));
}

std::vector<Runs> swing_blocks(Rank rank, int done, std::int32_t ranks, SwingOrder order) {
  const int steps = swing_steps(ranks);
  if (done == 0)
    return {{0, ranks}};
  if (done == steps)
    return {{rank}};
  if (order == SwingOrder::short_first) {
    // From here on a rank of its own parity is reached over a multiple of 2^(done+1), one of the other parity
    // likewise from the next partner.
    const std::int32_t stride = 1 << (done + 1);
    const std::int32_t count = ranks / stride;
    const Rank own = rank % stride;
    const Rank other = swing_partner(rank, done, ranks, order) % stride;
    return {{std::min(own, other), 1, count, stride}, {std::max(own, other), 1, count, stride}};
  }
  // Distances that sums of the short steps to come reach: numbers of `open` digits in base -2, an interval.
  const int open = steps - done;
  std::int32_t lowest = 0;
  for (int i = 1; i < open; i += 2)
    lowest -= 1 << i;
  const std::int32_t length = 1 << open;
  const auto first =
      static_cast<std::int32_t>(modulo(rank % 2 == 0 ? rank + lowest : rank - (lowest + length - 1), ranks));
  if (first + length <= ranks)
    return {{first, length}};
  return {{0, first + length - ranks}, {first, ranks - first}};
}

std::int32_t swing_number(Rank rank, std::int32_t ranks) {
  // Base -2 digits tell the path to a rank: it crosses where a run of equal digits ends, as in a Gray code.
  const std::uint32_t digits = negabinary(rank % 2 == 0 ? -rank : rank, ranks);
  const std::uint32_t crossings = digits ^ digits >> 1;
  std::int32_t number = 0;
  for (int i = 0; i < swing_steps(ranks); ++i)
    number = number * 2 + static_cast<std::int32_t>(crossings >> i & 1U);
  return number;
}

std::vector<std::int8_t> swing_departures(std::int32_t ranks, SwingOrder order) {
  std::vector<std::int8_t> departures(static_cast<std::size_t>(ranks), -1);
  std::vector<Rank> reached{0};
  std::vector<bool> is_reached(static_cast<std::size_t>(ranks));
  is_reached[0] = true;
  for (int step = swing_steps(ranks) - 1; step >= 0; --step) {
    const std::size_t end = reached.size();
    for (std::size_t i = 0; i < end; ++i) {
      const Rank partner = swing_partner(reached[i], step, ranks, order);
      if (is_reached[static_cast<std::size_t>(partner)])
        continue;
      is_reached[static_cast<std::size_t>(partner)] = true;
      departures[static_cast<std::size_t>(partner)] = static_cast<std::int8_t>(step);
      reached.push_back(partner);
    }
  }
  return departures;
}

} // namespace thalweg::topology
