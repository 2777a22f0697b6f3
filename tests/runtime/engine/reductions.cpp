// SPDX-License-Identifier: BSD-3-Clause

// Every reduction against one element at a time, for lengths around those of vectors and odd addresses.

#include "engine/reductions.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace thalweg::engine {
namespace {

template <typename T>
T expected(Arithmetic arithmetic, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    const auto x = static_cast<std::uint64_t>(static_cast<U>(a));
    const auto y = static_cast<std::uint64_t>(static_cast<U>(b));
    switch (arithmetic) {
    case Arithmetic::sum:
      return static_cast<T>(x + y);
    case Arithmetic::product:
      return static_cast<T>(x * y);
    case Arithmetic::bitwise_and:
      return static_cast<T>(x & y);
    case Arithmetic::bitwise_or:
      return static_cast<T>(x | y);
    case Arithmetic::bitwise_xor:
      return static_cast<T>(x ^ y);
    default:
      break;
    }
  } else if (arithmetic == Arithmetic::sum) {
    return a + b;
  } else if (arithmetic == Arithmetic::product) {
    return a * b;
  }
  return arithmetic == Arithmetic::minimum ? std::min(a, b) : std::max(a, b);
}

template <typename T>
T random_number(std::mt19937_64& random) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(random());
  else
    return static_cast<T>(static_cast<double>(random()) / 1e18 - 9);
}

template <typename T>
void check(Number number) {
  std::mt19937_64 random(static_cast<std::uint64_t>(number) + 1);
  for (int a = 0; a <= static_cast<int>(Arithmetic::bitwise_xor); ++a) {
    const auto arithmetic = static_cast<Arithmetic>(a);
    const Reduction reduce = reduction(arithmetic, number);
    if (!std::is_integral_v<T> && arithmetic >= Arithmetic::bitwise_and) {
      EXPECT_EQ(reduce, nullptr);
      continue;
    }
    ASSERT_NE(reduce, nullptr);
    for (const std::size_t count : {0, 1, 2, 3, 7, 15, 31, 33, 64, 129, 1000})
      for (const std::size_t offset : {0, 1, 8}) {
        std::vector<std::byte> source(count * sizeof(T) + offset + 1);
        std::vector<std::byte> target(source.size(), std::byte{0x5a});
        std::vector<T> results;
        for (std::size_t i = 0; i < count; ++i) {
          const T x = random_number<T>(random);
          const T y = random_number<T>(random);
          std::memcpy(&source[offset + i * sizeof(T)], &x, sizeof(T));
          std::memcpy(&target[offset + i * sizeof(T)], &y, sizeof(T));
          results.push_back(expected(arithmetic, x, y));
        }
        std::vector<std::byte> apart(source.size() + 3, std::byte{0x5a});
        reduce(source.data() + offset, target.data() + offset, apart.data() + 3 + offset, count);
        reduce(source.data() + offset, target.data() + offset, target.data() + offset, count);
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(std::memcmp(&target[offset + i * sizeof(T)], &results[i], sizeof(T)), 0)
              << a << ", number " << i << " of " << count;
          ASSERT_EQ(std::memcmp(&apart[3 + offset + i * sizeof(T)], &results[i], sizeof(T)), 0)
              << a << ", number " << i << " of " << count << ", apart";
        }
        EXPECT_EQ(target.back(), std::byte{0x5a}) << "written beyond the end";
        EXPECT_EQ(apart.back(), std::byte{0x5a}) << "written beyond the end";
      }
  }
}

TEST(Reductions, DoWhatTheySay) {
  check<std::int8_t>(Number::int8);
  check<std::int16_t>(Number::int16);
  check<std::int32_t>(Number::int32);
  check<std::int64_t>(Number::int64);
  check<std::uint8_t>(Number::uint8);
  check<std::uint16_t>(Number::uint16);
  check<std::uint32_t>(Number::uint32);
  check<std::uint64_t>(Number::uint64);
  check<float>(Number::float32);
  check<double>(Number::float64);
}

// NaNs that differ in bits, zeros of both signs, and a number.
template <typename T>
std::array<T, 6> telling_numbers() {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const auto nothing = std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN());
  constexpr Bits sign = Bits{1} << (sizeof(T) * 8 - 1);
  return {std::bit_cast<T>(nothing | 5U), std::bit_cast<T>(nothing | sign | 9U), T{0}, -T{0}, T{3}, -T{2}};
}

template <typename T>
T told(Arithmetic arithmetic, T left, T right) {
  if (arithmetic == Arithmetic::minimum)
    return left < right ? left : right;
  if (arithmetic == Arithmetic::maximum)
    return left > right ? left : right;
  if (std::isnan(left) || std::isnan(right))
    return std::isnan(left) ? left : right;
  return arithmetic == Arithmetic::sum ? left + right : left * right;
}

// All pairs at all places of vectors: the widest loops and what they leave take the same operand.
template <typename T>
void check_order(Number number) {
  const auto numbers = telling_numbers<T>();
  const std::size_t pairs = numbers.size() * numbers.size();
  for (const auto arithmetic :
       {Arithmetic::sum, Arithmetic::product, Arithmetic::minimum, Arithmetic::maximum})
    for (std::size_t count = 1; count < 80; ++count) {
      std::vector<T> left;
      std::vector<T> right;
      std::vector<T> wanted;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t pair = (i * 7 + count) % pairs;
        left.push_back(numbers[pair / numbers.size()]);
        right.push_back(numbers[pair % numbers.size()]);
        wanted.push_back(told(arithmetic, left.back(), right.back()));
      }
      auto into_right = right;
      const auto bytes = [](std::vector<T>& vector) { return reinterpret_cast<std::byte*>(vector.data()); };
      reduction(arithmetic, number)(bytes(left), bytes(into_right), bytes(into_right), count);
      reduction(arithmetic, number)(bytes(left), bytes(right), bytes(left), count);
      EXPECT_EQ(std::memcmp(left.data(), wanted.data(), count * sizeof(T)), 0)
          << static_cast<int>(arithmetic) << " of " << count << " into the left";
      EXPECT_EQ(std::memcmp(into_right.data(), wanted.data(), count * sizeof(T)), 0)
          << static_cast<int>(arithmetic) << " of " << count << " into the right";
    }
}

TEST(Reductions, TakeOperandsByTheirOrderWhereverTheyStand) {
  check_order<float>(Number::float32);
  check_order<double>(Number::float64);
}

} // namespace
} // namespace thalweg::engine
