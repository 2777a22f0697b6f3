// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Random numbers that are the same on every machine: what begins with a seed is reproduced from it.

#include <concepts>
#include <cstdint>

namespace thalweg {

/// Source: Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators" (SplitMix64).
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t bits = state_ += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }
  /// 0 .. count-1, for counts of up to 2^32; uneven by less than count / 2^32.
  template <std::integral Number>
  Number below(Number count) {
    return static_cast<Number>(((next() >> 32) * static_cast<std::uint64_t>(count)) >> 32);
  }
  /// From 0 to below 1.
  double real() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
  std::uint64_t state_;
};

} // namespace thalweg
