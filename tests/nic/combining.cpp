// SPDX-License-Identifier: BSD-3-Clause

// What cards combine against what the engine does with the same numbers.

#include "nic/combining.h"

#include "engine/reductions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace {

using thalweg::engine::Arithmetic;
using thalweg::engine::Number;

constexpr std::uint32_t operation(std::uint32_t number, std::uint32_t arithmetic) {
  return number * 8 + arithmetic;
}

// Small numbers and large ones; of floating-point ones also those that compare in their own way.
template <typename T>
T any(std::mt19937_64& random) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random() % 3 == 0 ? random() % 4 : random());
  } else {
    constexpr std::array<T, 8> special{T{0},
                                       -T{0},
                                       std::numeric_limits<T>::infinity(),
                                       -std::numeric_limits<T>::infinity(),
                                       std::numeric_limits<T>::quiet_NaN(),
                                       -std::numeric_limits<T>::quiet_NaN(),
                                       std::numeric_limits<T>::denorm_min(),
                                       T{1}};
    if (random() % 3 == 0)
      return special[random() % special.size()];
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    return std::bit_cast<T>(static_cast<Bits>(random()));
  }
}

template <typename T>
std::uint64_t word_of(T value) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<std::uint64_t>(value);
  else if constexpr (sizeof(T) == 8)
    return std::bit_cast<std::uint64_t>(value);
  else
    return std::bit_cast<std::uint32_t>(value);
}

template <typename T>
void expect_the_engines(std::uint32_t number, Number engines, Arithmetic arithmetic) {
  const auto reduce = thalweg::engine::reduction(arithmetic, engines);
  ASSERT_NE(reduce, nullptr);
  std::mt19937_64 random(3);
  for (int i = 0; i < 3000; ++i) {
    const T from = any<T>(random);
    const T own = any<T>(random);
    T expected{};
    reduce(reinterpret_cast<const std::byte*>(&from), reinterpret_cast<const std::byte*>(&own),
           reinterpret_cast<std::byte*>(&expected), 1);
    const std::uint64_t found = thalweg_nic_result(operation(number, static_cast<std::uint32_t>(arithmetic)),
                                                   word_of(from), word_of(own));
    if constexpr (std::is_integral_v<T>) {
      ASSERT_EQ(static_cast<T>(found), expected) << int(arithmetic) << " " << from << " " << own;
    } else {
      ASSERT_EQ(found, word_of(expected)) << int(arithmetic) << " " << from << " " << own;
    }
  }
}

TEST(NicCombining, IsTheEnginesArithmetic) {
  for (const auto arithmetic :
       {Arithmetic::sum, Arithmetic::product, Arithmetic::minimum, Arithmetic::maximum,
        Arithmetic::bitwise_and, Arithmetic::bitwise_or, Arithmetic::bitwise_xor}) {
    expect_the_engines<std::int8_t>(THALWEG_NIC_INTEGER, Number::int8, arithmetic);
    expect_the_engines<std::int16_t>(THALWEG_NIC_INTEGER, Number::int16, arithmetic);
    expect_the_engines<std::int32_t>(THALWEG_NIC_INTEGER, Number::int32, arithmetic);
    expect_the_engines<std::int64_t>(THALWEG_NIC_INTEGER, Number::int64, arithmetic);
    expect_the_engines<std::uint8_t>(THALWEG_NIC_INTEGER, Number::uint8, arithmetic);
    expect_the_engines<std::uint32_t>(THALWEG_NIC_INTEGER, Number::uint32, arithmetic);
    if (arithmetic >= Arithmetic::bitwise_and)
      continue;
    expect_the_engines<float>(THALWEG_NIC_FLOAT, Number::float32, arithmetic);
    expect_the_engines<double>(THALWEG_NIC_DOUBLE, Number::float64, arithmetic);
  }
}

TEST(NicCombining, FindsWhereTheLeastAndTheMostIs) {
  const auto located = THALWEG_NIC_DOUBLE + THALWEG_NIC_LOCATED;
  const auto pair = [&](std::uint32_t arithmetic, double value, std::uint64_t where) {
    thalweg_nic_content content{operation(located, arithmetic), THALWEG_NIC_PAIR, 0, 0, 0, {}};
    content.words[0] = word_of(value);
    content.words[1] = where;
    return content;
  };
  thalweg_nic_content least = pair(THALWEG_NIC_MINIMUM, 2.0, 5);
  for (const auto& [value, where] : {std::pair{3.0, 1}, {-1.5, 9}, {-1.5, 7}, {-1.5, 8}, {0.0, 2}}) {
    const auto other = pair(THALWEG_NIC_MINIMUM, value, static_cast<std::uint64_t>(where));
    thalweg_nic_combine(&least, &other);
  }
  EXPECT_EQ(least.words[0], word_of(-1.5));
  EXPECT_EQ(least.words[1], 7U);
  thalweg_nic_content most = pair(THALWEG_NIC_MAXIMUM, 0.0, 5);
  for (const auto& [value, where] : {std::pair{std::nan(""), 0}, {-0.0, 3}, {-1.0, 1}}) {
    const auto other = pair(THALWEG_NIC_MAXIMUM, value, static_cast<std::uint64_t>(where));
    thalweg_nic_combine(&most, &other);
  }
  EXPECT_EQ(most.words[0], word_of(-0.0))
      << "of two that are not more than each other the right one is taken";
  EXPECT_EQ(most.words[1], 3U);
}

TEST(NicCombining, ReachesEveryWordOfEachLength) {
  for (const std::uint16_t count : {THALWEG_NIC_PAIR, THALWEG_NIC_FEW, THALWEG_NIC_WORDS}) {
    thalweg_nic_content into{operation(THALWEG_NIC_INTEGER, THALWEG_NIC_SUM), count, 0, 0, 0, {}};
    thalweg_nic_content from = into;
    for (std::uint32_t i = 0; i < THALWEG_NIC_WORDS; ++i) {
      into.words[i] = i;
      from.words[i] = 1000;
    }
    thalweg_nic_combine(&into, &from);
    for (std::uint32_t i = 0; i < THALWEG_NIC_WORDS; ++i)
      EXPECT_EQ(into.words[i], i < count ? i + 1000 : i);
    EXPECT_EQ(thalweg_nic_length(count), count);
    EXPECT_GT(thalweg_nic_length(count + 1U), count);
  }
}

// Of any lengths, wherever they lie, in whatever part of the row holds them all.
TEST(NicCombining, BlocksComeToTheirPlaces) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    thalweg_nic_content into{THALWEG_NIC_PLACE, 0, 0, 0, 0, {}};
    into.first = static_cast<std::uint16_t>(random() % THALWEG_NIC_ROW);
    into.count = static_cast<std::uint16_t>(1 + random() % (THALWEG_NIC_ROW - into.first));
    std::array<std::uint64_t, THALWEG_NIC_ROW> expected{};
    for (int block = 0; block < 5; ++block) {
      thalweg_nic_content from{THALWEG_NIC_PLACE, 0, 0, 0, 0, {}};
      from.first = static_cast<std::uint16_t>(into.first + random() % into.count);
      from.count = static_cast<std::uint16_t>(random() % (into.first + into.count - from.first + 1U));
      for (std::uint32_t i = 0; i < from.count; ++i)
        expected[from.first - into.first + i] |= from.words[i] = random();
      thalweg_nic_join(&into, &from);
    }
    ASSERT_TRUE(std::ranges::equal(into.words, expected)) << "trial " << trial;
  }
}

} // namespace
