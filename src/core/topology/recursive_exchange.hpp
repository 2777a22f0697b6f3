// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Recursive exchange: ranks whose numbers differ in one digit of base `radix` exchange, digit by digit
// (recursive doubling for radix 2; k-nomial or recursive multiplying in general). It needs a power of the
// radix; where there are more ranks, neighboring ranks stand together in one place, and the first of each
// place speaks for it.

#include "base/rank.hpp"

#include <vector>

namespace thalweg::topology {

/// Ranks dealt in order to places, the first places one rank larger where it does not come out even.
class Places {
public:
  Places(std::int32_t ranks, std::int32_t count)
      : count_(count), size_(ranks / count), larger_(ranks % count) {}

  std::int32_t count() const { return count_; }
  /// Places 0 .. larger()-1 have size() + 1 ranks, the others size().
  std::int32_t larger() const { return larger_; }
  std::int32_t size() const { return size_; }

  /// First rank of a place: its speaker. begin(count()) = ranks.
  Rank begin(std::int32_t place) const { return place * size_ + (place < larger_ ? place : larger_); }
  Rank end(std::int32_t place) const { return begin(place + 1); }
  std::int32_t place_of(Rank rank) const {
    const std::int32_t in_larger = larger_ * (size_ + 1);
    return rank < in_larger ? rank / (size_ + 1) : larger_ + (rank - in_larger) / size_;
  }

private:
  std::int32_t count_;
  std::int32_t size_;
  std::int32_t larger_;
};

/// The largest power of `radix` that is at most `ranks`.
std::int32_t exchange_places(std::int32_t ranks, std::int32_t radix);

/// The places that differ from `place` only in the digit of weight `weight` (a power of the radix), by
/// ascending digit; `place` itself is among them.
std::vector<std::int32_t> exchange_group(std::int32_t place, std::int32_t radix, std::int32_t weight);

} // namespace thalweg::topology
