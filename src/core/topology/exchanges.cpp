// SPDX-License-Identifier: BSD-3-Clause
#include "topology/exchanges.hpp"

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"

#include <algorithm>
#include <functional>

namespace thalweg::topology {

namespace {

/// Adds a run of neighbors: as one more of the last entry's runs if it continues their row.
void add_run(std::vector<Runs>& result, std::int32_t first, std::int32_t run) {
  if (!result.empty() && result.back().run == run) {
    Runs& last = result.back();
    if (last.count == 1)
      last.stride = first - last.first;
    if (last.first + last.count * last.stride == first) {
      ++last.count;
      return;
    }
  }
  result.push_back({first, run});
}

} // namespace

std::vector<Runs> compressed(std::span<const std::int32_t> ascending) {
  THALWEG_ASSERT(heavy, std::ranges::adjacent_find(ascending, std::greater_equal{}) == ascending.end());
  std::vector<Runs> result;
  for (std::size_t i = 0; i < ascending.size();) {
    std::size_t end = i + 1;
    while (end < ascending.size() && ascending[end] == ascending[end - 1] + 1)
      ++end;
    add_run(result, ascending[i], static_cast<std::int32_t>(end - i));
    i = end;
  }
  return result;
}

std::vector<std::int32_t> expanded(std::span<const Runs> runs) {
  std::vector<std::int32_t> numbers;
  for (const Runs& entry : runs)
    for (std::int32_t j = 0; j < entry.count; ++j)
      for (std::int32_t i = 0; i < entry.run; ++i)
        numbers.push_back(entry.first + j * entry.stride + i);
  return numbers;
}

int dissemination_rounds(std::int32_t size, std::int32_t radix) {
  return ceil_log(radix, size);
}

std::vector<std::int32_t> dissemination_offsets(std::int32_t size, std::int32_t radix, int round) {
  THALWEG_ASSERT(light, radix >= 2 && round >= 0);
  std::vector<std::int32_t> offsets;
  const std::int64_t distance = power(radix, round);
  for (std::int64_t digit = 1; digit < radix && digit * distance < size; ++digit)
    offsets.push_back(static_cast<std::int32_t>(digit * distance));
  return offsets;
}

std::int32_t exchange_places(std::int32_t ranks, std::int32_t radix) {
  return static_cast<std::int32_t>(power(radix, floor_log(radix, ranks)));
}

std::vector<std::int32_t> exchange_group(std::int32_t place, std::int32_t radix, std::int32_t weight) {
  THALWEG_ASSERT(light, place >= 0 && radix >= 2 && weight >= 1);
  const std::int32_t own = place / weight % radix;
  std::vector<std::int32_t> group;
  for (std::int32_t digit = 0; digit < radix; ++digit)
    group.push_back(place + (digit - own) * weight);
  return group;
}

Interval reversed_interval(std::int32_t place, std::int32_t radix, int digits, int done) {
  THALWEG_ASSERT(light, 0 <= done && done <= digits && place >= 0 && place < power(radix, digits));
  auto length = static_cast<std::int32_t>(power(radix, digits));
  std::int32_t begin = 0;
  for (int i = 0; i < done; ++i) {
    length /= radix;
    begin += place % radix * length;
    place /= radix;
  }
  return {begin, begin + length};
}

Interval leading_interval(std::int32_t place, std::int32_t radix, int digits, int done) {
  THALWEG_ASSERT(light, 0 <= done && done <= digits && place >= 0 && place < power(radix, digits));
  const auto length = static_cast<std::int32_t>(power(radix, digits - done));
  const std::int32_t begin = place / length * length;
  return {begin, begin + length};
}

Runs ranks_of(const Places& places, const Interval& interval) {
  const Rank begin = places.begin(interval.begin);
  return {begin, places.begin(interval.end) - begin};
}

std::vector<Runs> ranks_of_residue(const Places& places, std::int32_t residue, std::int32_t modulus) {
  THALWEG_ASSERT(light, 0 <= residue && residue < modulus);
  if (modulus == 1)
    return {ranks_of(places, {0, places.count()})};
  std::vector<Runs> result;
  const auto add = [&](std::int32_t first_place, std::int32_t end_place, std::int32_t size) {
    if (first_place < end_place)
      result.push_back({places.begin(first_place), size,
                        static_cast<std::int32_t>(ceil_divide(end_place - first_place, modulus)),
                        modulus * size});
  };
  const auto in_larger = static_cast<std::int32_t>(
      residue < places.larger() ? ceil_divide(places.larger() - residue, modulus) : 0);
  add(residue, places.larger(), places.size() + 1);
  add(residue + in_larger * modulus, places.count(), places.size());
  return result;
}

std::vector<BinaryBlock> binary_blocks(std::int32_t ranks) {
  std::vector<BinaryBlock> blocks;
  for (Rank begin = 0; begin < ranks;) {
    blocks.push_back({begin, floor_log(2, ranks - begin)});
    begin += blocks.back().size();
  }
  return blocks;
}

std::int32_t reversed_place(std::int32_t piece, int digits) {
  return reversed_interval(piece, 2, digits, digits).begin;
}

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
  THALWEG_ASSERT(normal, ranks % 2 == 0 && rank >= 0 && rank < ranks);
  THALWEG_ASSERT(normal, step >= 0 && step < swing_steps(ranks));
  const std::int64_t distance = signed_distance(exponent_of(step, ranks, order));
  return static_cast<Rank>(modulo(rank % 2 == 0 ? rank + distance : rank - distance, ranks));
}

std::vector<Runs> swing_blocks(Rank rank, int done, std::int32_t ranks, SwingOrder order) {
  const int steps = swing_steps(ranks);
  THALWEG_ASSERT(light, is_power_of_two(ranks) && 0 <= done && done <= steps);
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
  THALWEG_ASSERT(light, is_power_of_two(ranks) && rank >= 0 && rank < ranks);
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
  // Every rank but the owner has a step in which its sum leaves.
  THALWEG_ASSERT(light, std::ssize(reached) == ranks);
  return departures;
}

} // namespace thalweg::topology
