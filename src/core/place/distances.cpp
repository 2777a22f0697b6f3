// SPDX-License-Identifier: BSD-3-Clause
#include "place/distances.hpp"

#include <limits>

namespace thalweg::place {

Distances::Distances(const machine::Allocation& allocation)
    : allocation_(&allocation), slots_(static_cast<std::int32_t>(allocation.slots.size())) {
  if (const topology::Grid* grid = allocation.interconnect->grid()) {
    dimensions_ = grid->dimensions();
    for (const std::int32_t extent : grid->extents())
      wrapped_.push_back(grid->wraps() ? extent : std::numeric_limits<std::int32_t>::max());
    coordinates_.reserve(index(slots_) * dimensions_);
    for (const topology::Place place : allocation.slots)
      for (std::size_t dimension = 0; dimension < dimensions_; ++dimension)
        coordinates_.push_back(grid->coordinate(place, dimension));
  }
  constexpr std::int64_t entry_max = std::numeric_limits<std::uint16_t>::max();
  if (slots_ > dense_max || allocation.interconnect->diameter() > entry_max)
    return;
  std::vector<std::uint16_t> dense(index(slots_) * index(slots_));
  for (std::int32_t a = 0; a < slots_; ++a)
    for (std::int32_t b = 0; b < a; ++b) {
      const auto hops = static_cast<std::uint16_t>(dimensions_ > 0 ? grid_hops(a, b) : other_hops(a, b));
      dense[index(a) * index(slots_) + index(b)] = hops;
      dense[index(b) * index(slots_) + index(a)] = hops;
    }
  dense_ = std::move(dense);
}

std::int32_t Distances::other_hops(std::int32_t a, std::int32_t b) const {
  return static_cast<std::int32_t>(
      allocation_->interconnect->hops(allocation_->slots[index(a)], allocation_->slots[index(b)]));
}

} // namespace thalweg::place
