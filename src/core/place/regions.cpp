// SPDX-License-Identifier: BSD-3-Clause
#include "place/regions.hpp"

#include "base/assertion.hpp"
#include "place/mapping.hpp"

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
  THALWEG_ASSERT(normal, has_any());
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

namespace {

using Slot = std::int32_t;

/// A region's coordinates in a dimension, laid out from behind its widest gap: on a torus it may go around.
class Extent {
public:
  Extent(const Distances& distances, std::span<const Slot> slots, std::size_t dimension)
      : distances_(distances), dimension_(dimension) {
    const topology::Grid& grid = *distances.allocation().interconnect->grid();
    extent_ = grid.extent(dimension);
    std::vector<bool> is_used(static_cast<std::size_t>(extent_));
    for (const Slot slot : slots)
      is_used[static_cast<std::size_t>(distances.coordinates(slot)[dimension])] = true;
    Slot longest = 0;
    Slot gap = 0;
    // Twice around, as the widest gap may lie across the edge.
    for (Slot step = 0; step < 2 * extent_; ++step) {
      const Slot at = step % extent_;
      gap = is_used[static_cast<std::size_t>(at)] ? 0 : gap + 1;
      if (gap > longest && gap < extent_ && (grid.wraps() || step < extent_)) {
        longest = gap;
        first_ = grid.wraps() ? (at + 1) % extent_ : 0;
      }
    }
    for (const Slot slot : slots)
      last_ = std::max(last_, of(slot));
    Slot lowest = extent_;
    for (const Slot slot : slots)
      lowest = std::min(lowest, of(slot));
    length_ = last_ - lowest;
  }

  Slot of(Slot slot) const {
    const Slot coordinate = distances_.coordinates(slot)[dimension_] - first_;
    return coordinate < 0 ? coordinate + extent_ : coordinate;
  }
  Slot length() const { return length_; }

private:
  const Distances& distances_;
  std::size_t dimension_;
  Slot extent_ = 1;
  Slot first_ = 0;
  Slot last_ = 0;
  Slot length_ = 0;
};

void halve_on_grid(const Distances& distances, std::span<Slot> slots, std::size_t half) {
  std::vector<Extent> extents;
  for (std::size_t dimension = 0; dimension < distances.dimensions(); ++dimension)
    extents.emplace_back(distances, slots, dimension);
  std::vector<std::size_t> longest_first(extents.size());
  std::iota(longest_first.begin(), longest_first.end(), 0);
  std::ranges::stable_sort(longest_first, std::greater{},
                           [&](std::size_t dimension) { return extents[dimension].length(); });
  std::ranges::nth_element(slots, slots.begin() + static_cast<std::ptrdiff_t>(half), [&](Slot a, Slot b) {
    for (const std::size_t dimension : longest_first)
      if (const Slot left = extents[dimension].of(a), right = extents[dimension].of(b); left != right)
        return left < right;
    return a < b;
  });
}

/// Between two slots far apart.
void halve_by_hops(const Distances& distances, std::span<Slot> slots, std::size_t half) {
  const auto farthest = [&](Slot from) {
    return *std::ranges::max_element(slots, {}, [&](Slot slot) { return distances(from, slot); });
  };
  const Slot one = farthest(slots.front());
  const Slot other = farthest(one);
  std::ranges::nth_element(slots, slots.begin() + static_cast<std::ptrdiff_t>(half), {}, [&](Slot slot) {
    return std::pair(distances(one, slot) - distances(other, slot), slot);
  });
}

} // namespace

void halve(const Distances& distances, std::vector<Slot>& slots, std::size_t begin, std::size_t end,
           std::size_t half) {
  THALWEG_ASSERT(light, begin + half <= end && end <= slots.size());
  const auto region = std::span(slots).subspan(begin, end - begin);
  if (distances.dimensions() > 0)
    halve_on_grid(distances, region, half);
  else
    halve_by_hops(distances, region, half);
}

Slot middle(const Distances& distances, const std::vector<Slot>& slots, std::size_t begin, std::size_t end) {
  constexpr std::size_t samples = 12;
  const std::size_t step = std::max<std::size_t>((end - begin) / samples, 1);
  Slot best = slots[begin];
  std::int64_t best_sum = -1;
  for (std::size_t index = begin; index < end; index += step) {
    std::int64_t sum = 0;
    for (std::size_t other = begin; other < end; other += step)
      sum += distances(slots[index], slots[other]);
    if (best_sum < 0 || sum < best_sum) {
      best = slots[index];
      best_sum = sum;
    }
  }
  return best;
}

} // namespace thalweg::place
