// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/assertion.hpp"

#include <bit>
#include <cstdint>

namespace thalweg {

/// ceil(a / b) for a >= 0, b > 0.
constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  THALWEG_ASSERT(normal, b > 0);
  return (a + b - 1) / b;
}

/// a modulo b in 0 .. b-1, also for negative a.
constexpr std::int64_t modulo(std::int64_t a, std::int64_t b) {
  const std::int64_t r = a % b;
  return r < 0 ? r + b : r;
}

/// base^exponent without overflow checks (callers stay below 2^62).
constexpr std::int64_t power(std::int64_t base, int exponent) {
  std::int64_t result = 1;
  for (int i = 0; i < exponent; ++i)
    result *= base;
  return result;
}

/// Smallest n with base^n >= value; 0 for value <= 1.
constexpr int ceil_log(std::int64_t base, std::int64_t value) {
  THALWEG_ASSERT(normal, base >= 2); // else it has no end
  int n = 0;
  for (std::int64_t reach = 1; reach < value; reach *= base)
    ++n;
  return n;
}

/// Largest n with base^n <= value, value >= 1.
constexpr int floor_log(std::int64_t base, std::int64_t value) {
  THALWEG_ASSERT(normal, base >= 2 && value >= 1);
  int n = 0;
  for (std::int64_t reach = base; reach <= value; reach *= base)
    ++n;
  return n;
}

constexpr bool is_power_of_two(std::int64_t value) {
  return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
}

/// Smallest n with n^exponent >= value, value >= 1.
constexpr std::int64_t ceil_root(std::int64_t value, int exponent) {
  std::int64_t root = 1;
  while (power(root, exponent) < value)
    ++root;
  return root;
}

/// Where part `index` of `parts` begins when `total` things are dealt out as evenly as possible in order.
constexpr std::int64_t part_begin(std::int64_t total, std::int64_t parts, std::int64_t index) {
  THALWEG_ASSERT(normal, parts > 0 && 0 <= index && index <= parts);
  return total / parts * index + total % parts * index / parts;
}

/// floor(value * numerator / denominator) for numbers from 0, also where the product needs more than 64 bits;
/// the result has to fit.
constexpr std::int64_t scaled(std::int64_t value, std::int64_t numerator, std::int64_t denominator) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(value, numerator, &product)) // dividing 128 bits takes ten times as long
    return product / denominator;
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(static_cast<Wide>(value) * numerator / denominator);
}

} // namespace thalweg
