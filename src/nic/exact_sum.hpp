// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Sums of floating-point numbers that are rounded once, to nearest even, whoever adds what in which order.
//
// A number becomes a few integers of a long one, which has a place for every power of two that the type knows
// (Kulisch and Miranker 1981). The long one is in digits of 44 bits in words of 64, so words of up to 2^16
// numbers are added without carrying: by any sum of integers, also that of network devices.

#include <cstddef>
#include <cstdint>
#include <span>

namespace thalweg::nic {

template <typename Value>
class ExactSum {
public:
  /// So many numbers may be added: each kind of them that is no digits is counted in 16 bits.
  static constexpr std::int64_t numbers_max = 65535;
  /// Words of a number: what is no digits, then the digits, the last ones first.
  static constexpr std::size_t words = sizeof(Value) == sizeof(double) ? 49 : 8;

  /// The words of a number. `into` has `words` of them.
  static void split(Value value, std::span<std::int64_t> into);
  /// The number that words are nearest to that so many numbers' were added to.
  static Value round(std::span<const std::int64_t> summed, std::int64_t numbers);
};

extern template class ExactSum<double>;
extern template class ExactSum<float>;

} // namespace thalweg::nic
