// SPDX-License-Identifier: BSD-3-Clause
#include "place/regions.hpp"

#include "place/bisection.hpp"
#include "place/index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace thalweg::place {

Regions::Regions(const Distances& distances) : order_(at(distances.slots())) {
  std::iota(order_.begin(), order_.end(), 0);
  std::vector<Region> regions{{0, order_.size()}};
  for (bool is_split = true; is_split;) {
    std::vector<Region> next;
    is_split = false;
    for (const auto& [begin, end] : regions) {
      const std::size_t half = (end - begin) / 2;
      if (half == 0) {
        next.push_back({begin, end});
        continue;
      }
      halve(distances, order_, begin, end, half);
      next.push_back({begin, begin + half});
      next.push_back({begin + half, end});
      is_split = true;
    }
    regions = std::move(next);
    // Halves of pairs are no regions, but are in order then, as all halves are.
    if (std::ranges::all_of(regions, [](const Region& region) { return region.end - region.begin > 1; }))
      levels_.push_back(regions);
  }
}

void Regions::propose(Random& random, std::vector<Exchange>& exchanges) const {
  exchanges.clear();
  const std::vector<Region>& regions = levels_[at(random.below(static_cast<std::int32_t>(levels_.size())))];
  const auto any = [&] { return regions[at(random.below(static_cast<std::int32_t>(regions.size())))]; };
  const Region one = any();
  const Region other = any();
  const std::size_t size = std::min(one.end - one.begin, other.end - other.begin);
  // Halves of halves: the bits of a slot's place in its region say on which side it is. To change some turns
  // them over, to exchange them turns the region.
  const std::size_t whole = std::bit_floor(size);
  const std::size_t mirror = static_cast<std::size_t>(random.next() >> 32) & (whole - 1);
  std::array<std::size_t, 64> bit_of;
  std::iota(bit_of.begin(), bit_of.end(), std::size_t{0});
  for (std::int32_t left = std::countr_zero(whole); left > 1; --left)
    std::swap(bit_of[at(left - 1)], bit_of[at(random.below(left))]);
  const auto image = [&](std::size_t place) {
    if (place >= whole)
      return place;
    std::size_t turned = 0;
    for (std::size_t bit = 0; (std::size_t{1} << bit) < whole; ++bit)
      turned |= ((place >> bit) & 1U) << bit_of[bit];
    return turned ^ mirror;
  };
  if (one.begin != other.begin) {
    for (std::size_t place = 0; place < size; ++place)
      exchanges.push_back({order_[one.begin + place], order_[other.begin + image(place)]});
    return;
  }
  // Around each cycle of the permutation, seen from its lowest place.
  for (std::size_t first = 0; first < size; ++first) {
    std::size_t lowest = first;
    for (std::size_t place = image(first); place != first; place = image(place))
      lowest = std::min(lowest, place);
    for (std::size_t place = image(first); lowest == first && place != first; place = image(place))
      exchanges.push_back({order_[one.begin + first], order_[one.begin + place]});
  }
}

} // namespace thalweg::place
