// SPDX-License-Identifier: BSD-3-Clause

// Exact sums against integers of 128 bits, which the compiler rounds, and by what holds for all of them.

#include "nic/exact_sum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace thalweg::nic {
namespace {

__extension__ using Wide = __int128;

template <typename Value>
Value exact(const std::vector<Value>& values) {
  using Sum = ExactSum<Value>;
  std::array<std::int64_t, Sum::words> all{};
  std::array<std::int64_t, Sum::words> one{};
  for (const Value value : values) {
    Sum::split(value, one);
    for (std::size_t word = 0; word < Sum::words; ++word)
      all[word] += one[word];
  }
  return Sum::round(all, static_cast<std::int64_t>(values.size()));
}

template <typename Value>
bool is_same(Value a, Value b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <typename Value>
class NicExactSum : public testing::Test {};
using Values = testing::Types<double, float>;
TYPED_TEST_SUITE(NicExactSum, Values);

template <typename Value>
Value any_value(std::mt19937_64& random) {
  if constexpr (sizeof(Value) == sizeof(double))
    return std::bit_cast<Value>(random());
  else
    return std::bit_cast<Value>(static_cast<std::uint32_t>(random()));
}

TYPED_TEST(NicExactSum, OfOneNumberIsTheNumber) {
  std::mt19937_64 random(1);
  using Limits = std::numeric_limits<TypeParam>;
  std::vector<TypeParam> values = {0,
                                   TypeParam(-0.0),
                                   1,
                                   -1,
                                   Limits::max(),
                                   Limits::lowest(),
                                   Limits::min(),
                                   Limits::denorm_min(),
                                   -Limits::denorm_min(),
                                   Limits::infinity()};
  for (int trial = 0; trial < 20'000; ++trial)
    values.push_back(any_value<TypeParam>(random));
  for (const TypeParam value : values)
    ASSERT_TRUE(is_same(exact<TypeParam>({value}), value)) << value;
}

// Numbers far apart, that cancel, and of all sizes: as the compiler rounds their sum in units of the
// smallest.
TYPED_TEST(NicExactSum, IsTheNearestNumberToTheSum) {
  std::mt19937_64 random(2);
  constexpr int bits = std::numeric_limits<TypeParam>::digits;
  constexpr int least = std::numeric_limits<TypeParam>::min_exponent - bits;
  for (int trial = 0; trial < 20'000; ++trial) {
    const int unit = static_cast<int>(random() % 3 == 0 ? 0 : random() % 60) + least;
    std::vector<TypeParam> values;
    Wide sum = 0;
    for (int number = static_cast<int>(random() % 20); number >= 0; --number) {
      const auto mantissa =
          static_cast<std::int64_t>(random() >> (64 - bits + static_cast<int>(random() % 9)));
      const int shift = static_cast<int>(random() % 60);
      const std::int64_t signed_one = random() % 2 == 0 ? mantissa : -mantissa;
      sum += static_cast<Wide>(signed_one) << shift;
      values.push_back(std::ldexp(static_cast<TypeParam>(signed_one), shift + unit));
    }
    const TypeParam expected = std::ldexp(static_cast<TypeParam>(sum), unit);
    const TypeParam found = exact(values);
    ASSERT_EQ(found, expected) << "trial " << trial;
    std::ranges::shuffle(values, random);
    ASSERT_TRUE(is_same(exact(values), found));
  }
}

// By hand: half of the last place goes to the even one, and anything beside it decides.
TEST(NicExactSumOfDoubles, TiesGoToTheEvenNumber) {
  const double half = std::ldexp(1.0, -53);
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(exact<double>({1, half}), 1);
  EXPECT_EQ(exact<double>({1, half, least}), 1 + 2 * half);
  EXPECT_EQ(exact<double>({1, half, -least}), 1);
  EXPECT_EQ(exact<double>({1 + 2 * half, half}), 1 + 4 * half);
  const double max = std::numeric_limits<double>::max();
  EXPECT_EQ(exact<double>({max, max, -max, -max, least}), least);
  EXPECT_EQ(exact<double>({max, std::ldexp(1.0, 969)}), max);
  EXPECT_EQ(exact<double>({max, std::ldexp(1.0, 970)}), std::numeric_limits<double>::infinity());
}

TYPED_TEST(NicExactSum, WhatIsNoNumberComesOut) {
  const TypeParam infinite = std::numeric_limits<TypeParam>::infinity();
  EXPECT_EQ(exact<TypeParam>({1, infinite, 2}), infinite);
  EXPECT_EQ(exact<TypeParam>({1, -infinite, -infinite}), -infinite);
  EXPECT_TRUE(std::isnan(exact<TypeParam>({infinite, 1, -infinite})));
  EXPECT_TRUE(std::isnan(exact<TypeParam>({1, std::numeric_limits<TypeParam>::quiet_NaN(), infinite})));
  EXPECT_TRUE(std::signbit(exact<TypeParam>({TypeParam(-0.0), TypeParam(-0.0)})));
  EXPECT_FALSE(std::signbit(exact<TypeParam>({TypeParam(-0.0), 0})));
  EXPECT_FALSE(std::signbit(exact<TypeParam>({3, -3})));
}

// As many as may be added, of the largest size and one sign: nothing is carried into what is not there.
TYPED_TEST(NicExactSum, HasRoomForAllNumbers) {
  using Sum = ExactSum<TypeParam>;
  const TypeParam size = std::numeric_limits<TypeParam>::max();
  for (const TypeParam value : {size, -size}) {
    std::array<std::int64_t, Sum::words> one{};
    Sum::split(value, one);
    for (std::int64_t& word : one)
      word *= Sum::numbers_max;
    EXPECT_EQ(Sum::round(one, Sum::numbers_max), value > 0 ? size * 2 : -size * 2) << "infinite";
    std::array<std::int64_t, Sum::words> back{};
    Sum::split(-value, back);
    for (std::size_t word = 0; word < Sum::words; ++word)
      one[word] += back[word] * (Sum::numbers_max - 1);
    EXPECT_EQ(Sum::round(one, 1), value);
  }
}

} // namespace
} // namespace thalweg::nic
