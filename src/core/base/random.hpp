// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Random numbers and hashes that are the same on every machine: what begins with a seed is reproduced from
// it, and hashes may be compared by ranks and kept in files.

#include "base/assertion.hpp"

#include <concepts>
#include <cstdint>
#include <string_view>

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
    THALWEG_ASSERT(normal, static_cast<std::uint64_t>(count) <= std::uint64_t{1} << 32);
    return static_cast<Number>(((next() >> 32) * static_cast<std::uint64_t>(count)) >> 32);
  }
  /// From 0 to below 1.
  double real() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
  std::uint64_t state_;
};

/// Adds a value to a hash of values in their order; begin with 0.
inline std::uint64_t mixed_hash(std::uint64_t hash, std::uint64_t value) {
  return Random(hash ^ value).next();
}

/// Hashes that are the same in every process and of every compiler, so ranks may compare them and files may
/// keep them. std::hash promises neither. FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo; RFC 9923), in 64 bits.
constexpr std::uint64_t fnv_begin = 0xcbf29ce484222325;
constexpr std::uint64_t fnv_hash(std::uint64_t before, std::uint64_t value) {
  return (before ^ value) * 0x100000001b3;
}

/// Of a text's bytes behind what was hashed before.
constexpr std::uint64_t text_hash(std::string_view text, std::uint64_t before = fnv_begin) {
  for (const char letter : text)
    before = fnv_hash(before, static_cast<unsigned char>(letter));
  return before;
}
/// Likewise, with the text's end: texts behind one another differ from their sum.
constexpr std::uint64_t ended_text_hash(std::string_view text, std::uint64_t before = fnv_begin) {
  return fnv_hash(text_hash(text, before), 0x100);
}

} // namespace thalweg
