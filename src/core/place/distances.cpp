// SPDX-License-Identifier: BSD-3-Clause
#include "place/distances.hpp"

#include "topology/tour.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

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

namespace {

/// The slots of a grid by their place.
class SlotsByPlace {
public:
  explicit SlotsByPlace(const machine::Allocation& allocation)
      : places_(allocation.slots), slots_(allocation.slots.size()) {
    std::iota(slots_.begin(), slots_.end(), 0);
    std::ranges::stable_sort(slots_, {}, [&](std::int32_t slot) { return at(slot); });
    std::ranges::sort(places_);
  }
  std::span<const std::int32_t> on(topology::Place place) const {
    const auto [first, last] = std::ranges::equal_range(places_, place);
    return std::span(slots_).subspan(static_cast<std::size_t>(first - places_.begin()),
                                     static_cast<std::size_t>(last - first));
  }

private:
  topology::Place at(std::int32_t slot) const { return places_[static_cast<std::size_t>(slot)]; }

  std::vector<topology::Place> places_;
  std::vector<std::int32_t> slots_;
};

} // namespace

Vicinity::Vicinity(const Distances& distances) {
  begin_.reserve(static_cast<std::size_t>(distances.slots()) + 1);
  if (distances.row(0) != nullptr)
    scan(distances);
  else if (distances.dimensions() > 0)
    look_up(distances);
  else
    number(distances.slots());
}

/// The slots in rings of growing distance; those of the last ring that fit.
void Vicinity::scan(const Distances& distances) {
  const std::int32_t slots = distances.slots();
  std::vector<std::int32_t> counts;
  for (std::int32_t slot = 0; slot < slots; ++slot) {
    const std::uint16_t* row = distances.row(slot);
    counts.assign(counts.size(), 0);
    for (std::int32_t other = 0; other < slots; ++other) {
      if (row[other] >= counts.size())
        counts.resize(std::size_t{row[other]} + 1);
      ++counts[row[other]];
    }
    std::size_t ring = 0;
    std::int32_t before = 0;
    for (--counts[0]; ring < counts.size() && before + counts[ring] < size_max; ++ring)
      before += counts[ring];
    std::int32_t room = size_max - before;
    for (std::int32_t other = 0; other < slots; ++other)
      if (other != slot && (row[other] < ring || (row[other] == ring && room-- > 0)))
        near_.push_back(other);
    begin_.push_back(near_.size());
  }
}

/// Neighbors on the grid, and where few of them are the job's, those before and behind on a tour.
void Vicinity::look_up(const Distances& distances) {
  const machine::Allocation& allocation = distances.allocation();
  const topology::Grid& grid = *allocation.interconnect->grid();
  const SlotsByPlace by_place(allocation);
  const std::vector<std::int32_t> tour = topology::tour(grid, allocation.slots);
  std::vector<std::int32_t> position(tour.size());
  for (std::size_t index = 0; index < tour.size(); ++index)
    position[static_cast<std::size_t>(tour[index])] = static_cast<std::int32_t>(index);
  constexpr std::int32_t on_tour = 4;
  for (std::int32_t slot = 0; slot < distances.slots(); ++slot) {
    const topology::Place place = allocation.slots[static_cast<std::size_t>(slot)];
    const std::size_t first = near_.size();
    const auto add = [&](std::int32_t other) {
      const auto found = std::span(near_).subspan(first);
      if (other != slot && std::ranges::find(found, other) == found.end())
        near_.push_back(other);
    };
    std::ranges::for_each(
        by_place.on(place).first(std::min<std::size_t>(by_place.on(place).size(), size_max)), add);
    for (std::size_t dimension = 0; dimension < grid.dimensions(); ++dimension)
      for (const std::int32_t step : {-1, 1}) {
        const topology::Place neighbor = grid.neighbor(place, dimension, step);
        if (const auto there = by_place.on(neighbor); neighbor >= 0 && !there.empty())
          add(there.front());
      }
    const std::int32_t here = position[static_cast<std::size_t>(slot)];
    for (std::int32_t step = 1; step <= on_tour && near_.size() < first + size_max; ++step)
      for (const std::int32_t index : std::array{here - step, here + step})
        if (index >= 0 && index < distances.slots())
          add(tour[static_cast<std::size_t>(index)]);
    begin_.push_back(near_.size());
  }
}

void Vicinity::number(std::int32_t slots) {
  for (std::int32_t slot = 0; slot < slots; ++slot) {
    for (std::int32_t other = std::max(slot - size_max / 2, 0);
         other <= std::min(slot + size_max / 2, slots - 1); ++other)
      if (other != slot)
        near_.push_back(other);
    begin_.push_back(near_.size());
  }
}

} // namespace thalweg::place
