// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Times between packets: by whole numbers alone, so no library and no compiler has a say.

#include "base/random.hpp"

#include <bit>
#include <cstdint>

namespace thalweg::simulate::packet {

/// -log2 of a number of 64 bits as a fraction of 2^64, in 2^-32: bit by bit, by squaring.
inline std::uint64_t minus_log2(std::uint64_t fraction) {
  const int zeros = std::countl_zero(fraction | 1);
  std::uint64_t mantissa = (fraction | 1) << zeros >> 32; // 1 to 2, in 2^-31
  std::uint64_t log = 0;
  for (int bit = 31; bit >= 8; --bit) {
    mantissa = mantissa * mantissa >> 31;
    if (mantissa >> 32 != 0) {
      mantissa >>= 1;
      log |= std::uint64_t{1} << bit;
    }
  }
  return (static_cast<std::uint64_t>(zeros + 1) << 32) - log;
}

/// Exponentially distributed, in 2^-32 of its mean.
inline std::uint64_t exponential(Random& random) {
  constexpr std::uint64_t ln2 = 2977044472; // in 2^-32
  const std::uint64_t log = minus_log2(random.next());
  return (log >> 32) * ln2 + ((log & UINT32_MAX) * ln2 >> 32);
}

} // namespace thalweg::simulate::packet
