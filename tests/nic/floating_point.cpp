// SPDX-License-Identifier: BSD-3-Clause

// Arithmetic in integers against the processor's, on numbers that are near each other, far apart, subnormal,
// at ties, or none.

#include "nic/floating_point.h"

#include "effort.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <type_traits>

namespace {

using thalweg::nic::effort;

template <typename Number>
using BitsOf = std::conditional_t<sizeof(Number) == 8, std::uint64_t, std::uint32_t>;

// Where two numbers are none, any may come out.
template <typename Number>
void expect_same(std::uint64_t found, Number a, Number b, Number expected) {
  const Number number = std::bit_cast<Number>(static_cast<BitsOf<Number>>(found));
  if (std::isnan(a) && std::isnan(b)) {
    ASSERT_TRUE(std::isnan(number)) << a << " " << b;
  } else if (std::isnan(expected)) {
    ASSERT_TRUE(std::isnan(number)) << a << " " << b;
#ifdef __x86_64__
    ASSERT_EQ(found, std::bit_cast<BitsOf<Number>>(expected)) << a << " " << b;
#endif
  } else {
    ASSERT_EQ(found, std::bit_cast<BitsOf<Number>>(expected))
        << a << " " << b << " " << number << " " << expected;
  }
}

template <typename Number>
struct Format;
template <>
struct Format<double> {
  static constexpr int mantissa = 52;
  static constexpr std::uint64_t exponents = 2047;
};
template <>
struct Format<float> {
  static constexpr int mantissa = 23;
  static constexpr std::uint64_t exponents = 255;
};

// Any sign and mantissa; often with long runs of the same bit, where rounding is at stake.
template <typename Number>
Number number_with(std::mt19937_64& random, std::uint64_t exponent) {
  constexpr int mantissa = Format<Number>::mantissa;
  std::uint64_t bits = random();
  if (random() % 2 == 0)
    bits &= ~std::uint64_t{0} << (random() % mantissa);
  if (random() % 4 == 0)
    bits |= (std::uint64_t{1} << (random() % mantissa)) - 1;
  bits &= (std::uint64_t{1} << mantissa) - 1;
  const std::uint64_t sign = random() % 2 << (sizeof(Number) * 8 - 1);
  return std::bit_cast<Number>(static_cast<BitsOf<Number>>(sign | exponent << mantissa | bits));
}

template <typename Number>
std::uint64_t any_exponent(std::mt19937_64& random) {
  constexpr std::uint64_t exponents = Format<Number>::exponents;
  switch (random() % 6) {
  case 0:
    return random() % 3; // subnormal, or nearly
  case 1:
    return exponents - random() % 3; // infinities and none, or nearly
  default:
    return random() % (exponents + 1);
  }
}

// The second exponent such that the two meet: in a sum near each other, in a product where it under- or
// overflows.
template <typename Number>
std::uint64_t near_exponent(std::mt19937_64& random, std::uint64_t first) {
  constexpr std::uint64_t exponents = Format<Number>::exponents;
  const auto distance = static_cast<std::int64_t>(random() % 140) - 70;
  const auto middle = static_cast<std::int64_t>(random() % 2 == 0 ? first : exponents / 2 - first);
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(middle + distance, 0, exponents));
}

template <typename Number, typename Check>
void for_pairs(Check check) {
  std::mt19937_64 random(7);
  for (std::uint64_t i = 0; i < 100'000 * effort(); ++i) {
    const std::uint64_t exponent = any_exponent<Number>(random);
    const std::uint64_t other =
        random() % 4 == 0 ? any_exponent<Number>(random) : near_exponent<Number>(random, exponent);
    check(number_with<Number>(random, exponent), number_with<Number>(random, other));
    if (testing::Test::HasFatalFailure())
      return;
  }
}

std::uint64_t bits(double number) {
  return std::bit_cast<std::uint64_t>(number);
}

std::uint64_t wide(float number) {
  return thalweg_nic_widen(std::bit_cast<std::uint32_t>(number));
}

TEST(NicFloatingPoint, SumsOfDoublesAreTheProcessors) {
  for_pairs<double>([](double a, double b) { expect_same(thalweg_nic_add(bits(a), bits(b)), a, b, a + b); });
}

TEST(NicFloatingPoint, ProductsOfDoublesAreTheProcessors) {
  for_pairs<double>(
      [](double a, double b) { expect_same(thalweg_nic_multiply(bits(a), bits(b)), a, b, a * b); });
}

TEST(NicFloatingPoint, SumsAndProductsOfFloatsAreTheProcessors) {
  for_pairs<float>([](float a, float b) {
    expect_same(thalweg_nic_narrow(thalweg_nic_add(wide(a), wide(b))), a, b, a + b);
    expect_same(thalweg_nic_narrow(thalweg_nic_multiply(wide(a), wide(b))), a, b, a * b);
  });
}

TEST(NicFloatingPoint, AFloatIsTheSameNumberAsADouble) {
  for_pairs<float>([](float a, float) {
    if (!std::isnan(a)) {
      ASSERT_EQ(wide(a), bits(double{a}));
      ASSERT_EQ(thalweg_nic_narrow(wide(a)), std::bit_cast<std::uint32_t>(a));
    }
  });
}

TEST(NicFloatingPoint, ADoubleBecomesTheNearestFloat) {
  for_pairs<double>([](double a, double) {
    if (!std::isnan(a)) {
      ASSERT_EQ(thalweg_nic_narrow(bits(a)), std::bit_cast<std::uint32_t>(static_cast<float>(a))) << a;
    }
  });
}

} // namespace
