// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Hops between slots, as fast as searches ask for them: looked up where there are few slots, from coordinates
// on larger grids, from the interconnect else. And the slots near each slot.

#include "base/assertion.hpp"
#include "machine/allocation.hpp"

#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

namespace thalweg::place {

class Distances {
public:
  /// Up to so many slots have a matrix of their hops: 32 MiB.
  static constexpr std::int32_t dense_max = 4096;

  /// Keeps a reference to the allocation. O(slots^2) up to dense_max, O(slots) beyond.
  explicit Distances(const machine::Allocation& allocation);
  /// Between parts of the allocation: `hops` row by row.
  Distances(const machine::Allocation& allocation, std::int32_t parts, std::vector<std::uint16_t> hops)
      : allocation_(&allocation), slots_(parts), dense_(std::move(hops)) {
    THALWEG_ASSERT(light, dense_.size() == index(parts) * index(parts));
  }

  std::int32_t slots() const { return slots_; }
  const machine::Allocation& allocation() const { return *allocation_; }

  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    THALWEG_ASSERT(normal, a >= 0 && a < slots_ && b >= 0 && b < slots_);
    if (!dense_.empty())
      return dense_[index(a) * index(slots_) + index(b)];
    return dimensions_ > 0 ? grid_hops(a, b) : other_hops(a, b);
  }
  /// A slot's hops to all, or null where there is no matrix.
  const std::uint16_t* row(std::int32_t slot) const {
    return dense_.empty() ? nullptr : dense_.data() + index(slot) * index(slots_);
  }
  /// A slot's coordinates on the grid, or null where the machine is none.
  const std::int32_t* coordinates(std::int32_t slot) const {
    return dimensions_ > 0 ? coordinates_.data() + index(slot) * dimensions_ : nullptr;
  }
  std::size_t dimensions() const { return dimensions_; }

private:
  static std::size_t index(std::int32_t number) { return static_cast<std::size_t>(number); }
  std::int32_t other_hops(std::int32_t a, std::int32_t b) const;
  std::int32_t grid_hops(std::int32_t a, std::int32_t b) const {
    const std::int32_t* left = coordinates_.data() + index(a) * dimensions_;
    const std::int32_t* right = coordinates_.data() + index(b) * dimensions_;
    std::int32_t hops = 0;
    for (std::size_t dimension = 0; dimension < dimensions_; ++dimension) {
      const std::int32_t apart = std::abs(left[dimension] - right[dimension]);
      const std::int32_t around = wrapped_[dimension] - apart;
      hops += apart < around ? apart : around;
    }
    return hops;
  }

  const machine::Allocation* allocation_;
  std::int32_t slots_;
  std::size_t dimensions_ = 0;
  std::vector<std::int32_t> wrapped_; ///< the extents of a torus; beyond any distance on a mesh
  std::vector<std::int32_t> coordinates_;
  std::vector<std::uint16_t> dense_;
};

/// The slots near each slot: where a task may go that is to come closer to another.
class Vicinity {
public:
  /// About so many slots count as near.
  static constexpr std::int32_t size_max = 14;

  /// O(slots^2) with a matrix of hops, O(slots log slots) on a larger grid. On other large machines slots
  /// count as near that have near numbers.
  explicit Vicinity(const Distances& distances);

  /// Near slots, never the slot itself; empty only where it is the only one.
  std::span<const std::int32_t> of(std::int32_t slot) const {
    const auto index = static_cast<std::size_t>(slot);
    THALWEG_ASSERT(normal, index + 1 < begin_.size());
    return std::span(near_).subspan(begin_[index], begin_[index + 1] - begin_[index]);
  }

private:
  void look_up(const Distances& distances);
  void scan(const Distances& distances);
  void number(std::int32_t slots);

  std::vector<std::size_t> begin_ = {0};
  std::vector<std::int32_t> near_;
};

} // namespace thalweg::place
