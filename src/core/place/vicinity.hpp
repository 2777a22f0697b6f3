// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The slots near each slot: where a task may go that is to come closer to another.

#include "place/distances.hpp"

#include <span>
#include <vector>

namespace thalweg::place {

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
