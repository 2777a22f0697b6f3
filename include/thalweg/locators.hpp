// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which rank holds an element of something distributed, without a division for each. A locator is anything
// that gives the rank for an index: those here, or a program's own function.
//
//   const thalweg::block_locator vertices(count, ranks);
//   visits.send(vertices, vertex, {vertex, distance});

#include <algorithm>
#include <bit>
#include <cstdint>

namespace thalweg {

namespace detail {

/// Division by a divisor that is known before, of any number (Granlund and Montgomery 1994, figure 4.1).
class divisor {
public:
  constexpr explicit divisor(std::uint64_t by) {
    const int bits = std::bit_width(by - 1); // 2 to this power is not less
    const uint128 above = (uint128{1} << bits) - by;
    factor_ = static_cast<std::uint64_t>((above << 64) / by) + 1;
    first_shift_ = bits > 0 ? 1 : 0;
    second_shift_ = bits - first_shift_;
  }
  constexpr std::uint64_t divide(std::uint64_t number) const {
    const auto high = static_cast<std::uint64_t>((uint128{factor_} * number) >> 64);
    return (high + ((number - high) >> first_shift_)) >> second_shift_;
  }

private:
  __extension__ using uint128 = unsigned __int128;
  std::uint64_t factor_ = 0;
  int first_shift_ = 0;
  int second_shift_ = 0;
};

} // namespace detail

/// Rank 0 has the first elements, rank 1 the next ones. Numbers differ by one at most, larger ones first.
class block_locator {
public:
  /// Of `count` elements on all ranks together.
  constexpr block_locator(std::uint64_t count, int ranks)
      : smaller_(count / static_cast<std::uint64_t>(ranks)),
        larger_ranks_(count % static_cast<std::uint64_t>(ranks)), in_larger_(larger_ranks_ * (smaller_ + 1)),
        by_larger_(larger_ranks_ == 0 ? 1 : smaller_ + 1), by_smaller_(std::max<std::uint64_t>(smaller_, 1)) {
  }

  /// The rank that holds an element.
  constexpr int operator()(std::uint64_t index) const {
    const bool is_larger = index < in_larger_;
    const std::uint64_t rank =
        (is_larger ? by_larger_ : by_smaller_).divide(index - (is_larger ? 0 : larger_ranks_));
    return static_cast<int>(rank);
  }
  /// The first element of a rank, and how many it has.
  constexpr std::uint64_t first(int rank) const {
    const auto number = static_cast<std::uint64_t>(rank);
    return number * smaller_ + std::min(number, larger_ranks_);
  }
  /// The number of elements of a rank.
  constexpr std::uint64_t count(int rank) const {
    return smaller_ + (static_cast<std::uint64_t>(rank) < larger_ranks_ ? 1 : 0);
  }
  /// The place of an element among those of its rank.
  constexpr std::uint64_t place(std::uint64_t index) const { return index - first((*this)(index)); }

private:
  std::uint64_t smaller_;
  std::uint64_t larger_ranks_; ///< so many have one element more
  std::uint64_t in_larger_;    ///< elements of these
  detail::divisor by_larger_;
  detail::divisor by_smaller_;
};

/// One element to each rank, in turns: element i is on rank i % ranks.
class cyclic_locator {
public:
  /// Of any number of elements.
  constexpr explicit cyclic_locator(int ranks)
      : ranks_(static_cast<std::uint64_t>(ranks)), by_ranks_(ranks_) {}

  /// The rank that holds an element.
  constexpr int operator()(std::uint64_t index) const {
    return static_cast<int>(index - place(index) * ranks_);
  }
  /// The place of an element among those of its rank.
  constexpr std::uint64_t place(std::uint64_t index) const { return by_ranks_.divide(index); }
  /// The number of elements of a rank, of so many in all.
  constexpr std::uint64_t count(int rank, std::uint64_t of_all) const {
    return by_ranks_.divide(of_all + ranks_ - 1 - static_cast<std::uint64_t>(rank));
  }

private:
  std::uint64_t ranks_;
  detail::divisor by_ranks_;
};

} // namespace thalweg
