// SPDX-License-Identifier: BSD-3-Clause
#include "place/vicinity.hpp"

#include "topology/tour.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace thalweg::place {

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
