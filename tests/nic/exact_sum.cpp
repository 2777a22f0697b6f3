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

using Words = std::array<std::uint64_t, exact_sum_words>;

double sum_of(const std::vector<double>& values) {
  Words sum{};
  for (const double value : values) {
    Words words{};
    to_exact_sum(value, words);
    for (std::size_t i = 0; i < words.size(); ++i)
      sum[i] += words[i];
  }
  return from_exact_sum(sum);
}

void expect_same(double found, double expected) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found));
  } else {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(expected))
        << found << " " << expected;
  }
}

// Any bits; then a second number near the first one's exponent, where rounding is at stake.
std::pair<double, double> two_numbers(std::mt19937_64& random) {
  const std::uint64_t first = random();
  std::uint64_t second = random();
  if (random() % 4 != 0) {
    const std::uint64_t exponent = (first >> 52 & 2047) + random() % 120 - 60;
    second = (second & ~(std::uint64_t{2047} << 52)) | (exponent & 2047) << 52;
  }
  if (random() % 3 == 0)
    second &= ~std::uint64_t{0} << (random() % 52); // ties
  return {std::bit_cast<double>(first), std::bit_cast<double>(second)};
}

TEST(ExactSum, OfTwoNumbersIsTheProcessors) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto [a, b] = two_numbers(random);
    expect_same(sum_of({a, b}), a + b);
  }
}

TEST(ExactSum, OfOneNumberIsThatNumber) {
  using Limits = std::numeric_limits<double>;
  for (const double value : {0.0, -0.0, 1.0, -1.5, Limits::min(), -Limits::denorm_min(), Limits::max(),
                             -Limits::max(), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()})
    expect_same(sum_of({value}), value);
}

TEST(ExactSum, HasTheSignsAndSpecialsOfIeee754) {
  using Limits = std::numeric_limits<double>;
  expect_same(sum_of({-0.0, -0.0, -0.0}), -0.0);
  expect_same(sum_of({-0.0, 0.0}), 0.0);
  expect_same(sum_of({3.0, -3.0}), 0.0);
  expect_same(sum_of({Limits::infinity(), 1.0, -Limits::infinity()}), Limits::quiet_NaN());
  expect_same(sum_of({Limits::max(), Limits::max()}), Limits::infinity());
  expect_same(sum_of({Limits::max(), Limits::max(), -Limits::max()}), Limits::max());
}

TEST(ExactSum, DoesNotDependOnTheOrderAndLosesNothing) {
  std::mt19937_64 random(2);
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) {
    const auto [a, b] = two_numbers(random);
    for (const double value : {a, b})
      if (std::isfinite(value)) {
        values.push_back(value);
        values.push_back(-value);
      }
  }
  values.push_back(0.1);
  for (int turn = 0; turn < 5; ++turn) {
    std::ranges::shuffle(values, random);
    expect_same(sum_of(values), 0.1);
  }
}

} // namespace
} // namespace thalweg::nic
