// SPDX-License-Identifier: BSD-3-Clause
#include "place/bisection.hpp"

#include <algorithm>
#include <numeric>

namespace thalweg::place {

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
