// SPDX-License-Identifier: BSD-3-Clause
#include "topology/halving.hpp"

#include "base/arithmetic.hpp"

namespace thalweg::topology {

Interval reversed_interval(std::int32_t place, std::int32_t radix, int digits, int done) {
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
  const auto length = static_cast<std::int32_t>(power(radix, digits - done));
  const std::int32_t begin = place / length * length;
  return {begin, begin + length};
}

Runs ranks_of(const Places& places, const Interval& interval) {
  const Rank begin = places.begin(interval.begin);
  return {begin, places.begin(interval.end) - begin};
}

std::vector<Runs> ranks_of_residue(const Places& places, std::int32_t residue, std::int32_t modulus) {
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

} // namespace thalweg::topology
