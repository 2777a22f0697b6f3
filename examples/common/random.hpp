// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace thalweg::examples {

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64-bit words that looks random.
constexpr std::uint64_t mix(std::uint64_t word) {
  word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31U);
}

/// The `index`-th word of SplitMix64 started with `seed`. Every element of a problem can be computed by any
/// rank, so the problem is the same however it is spread.
constexpr std::uint64_t random_word(std::uint64_t seed, std::uint64_t index) {
  return mix(seed + (index + 1) * 0x9e3779b97f4a7c15U);
}

/// The same as a number in [-1, 1).
constexpr double random_signed(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(static_cast<std::int64_t>(random_word(seed, index)) >> 11) * 0x1p-52;
}

} // namespace thalweg::examples
