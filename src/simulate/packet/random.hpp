#pragma once

// Random numbers that are the same everywhere: whole numbers alone, so no library and no compiler has a say.

#include <bit>
#include <cstdint>

namespace thalweg::simulate::packet {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }

  /// 0 .. bound-1; uneven by less than bound / 2^32.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((next() >> 32) * bound >> 32);
  }

  /// Exponentially distributed, in 2^-32 of its mean.
  std::uint64_t exponential();

private:
  std::uint64_t state_;
};

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

inline std::uint64_t Random::exponential() {
  constexpr std::uint64_t ln2 = 2977044472; // in 2^-32
  const std::uint64_t log = minus_log2(next());
  return (log >> 32) * ln2 + ((log & UINT32_MAX) * ln2 >> 32);
}

} // namespace thalweg::simulate::packet
