// SPDX-License-Identifier: BSD-3-Clause

// Locators give what divisions would.

#include "thalweg/locators.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace {

using thalweg::block_locator;
using thalweg::cyclic_locator;

constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();

/// Numbers at which quotients change, at the ends, and others.
std::vector<std::uint64_t> numbers_for(std::uint64_t divisor, std::mt19937_64& random) {
  std::vector<std::uint64_t> numbers{0, 1, max, max - 1, max / 2, max / 2 + 1, divisor - 1, divisor};
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t word = random() >> (random() % 64);
    const std::uint64_t multiple = word / divisor * divisor;
    numbers.insert(numbers.end(), {word, multiple, multiple - 1});
  }
  return numbers;
}

TEST(Locators, DivideAsProcessorsDo) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> divisors{max, max - 1, max / 2, max / 2 + 1};
  for (std::uint64_t divisor = 1; divisor <= 300; ++divisor)
    divisors.push_back(divisor);
  for (int i = 0; i < 300; ++i)
    divisors.push_back(std::max<std::uint64_t>(random() >> (random() % 64), 1));
  for (const std::uint64_t divisor : divisors) {
    const thalweg::detail::divisor by(divisor);
    for (const std::uint64_t number : numbers_for(divisor, random))
      ASSERT_EQ(by.divide(number), number / divisor) << number << " / " << divisor;
  }
}

TEST(Locators, BlocksFollowOneAnother) {
  for (const int ranks : {1, 2, 3, 7, 16, 31})
    for (const std::uint64_t count : {0, 1, 2, 5, 30, 31, 32, 62, 1000}) {
      const block_locator locator(count, ranks);
      std::uint64_t next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        ASSERT_EQ(locator.first(rank), next);
        ASSERT_LE(locator.count(rank), count / static_cast<std::uint64_t>(ranks) + 1);
        for (std::uint64_t place = 0; place < locator.count(rank); ++place, ++next) {
          ASSERT_EQ(locator(next), rank) << next << " of " << count << " on " << ranks;
          ASSERT_EQ(locator.place(next), place);
        }
      }
      ASSERT_EQ(next, count);
    }
}

TEST(Locators, BlocksOfAllThatThereCanBe) {
  for (const int ranks : {1, 3, 1 << 20, std::numeric_limits<int>::max()}) {
    const block_locator locator(max, ranks);
    EXPECT_EQ(locator(max - 1), ranks - 1);
    EXPECT_EQ(locator.first(ranks - 1) + locator.count(ranks - 1), max);
    EXPECT_EQ(locator(locator.first(ranks - 1)), ranks - 1);
    EXPECT_EQ(locator(0), 0);
  }
}

TEST(Locators, CyclesGoThroughTheRanks) {
  for (const int ranks : {1, 2, 3, 7, 16, 31}) {
    const cyclic_locator locator(ranks);
    for (const std::uint64_t count : {0, 1, 5, 31, 100}) {
      std::vector<std::uint64_t> places(static_cast<std::size_t>(ranks));
      for (std::uint64_t index = 0; index < count; ++index) {
        const auto rank = static_cast<std::size_t>(locator(index));
        ASSERT_EQ(rank, index % static_cast<std::uint64_t>(ranks));
        ASSERT_EQ(locator.place(index), places[rank]++);
      }
      for (int rank = 0; rank < ranks; ++rank)
        ASSERT_EQ(locator.count(rank, count), places[static_cast<std::size_t>(rank)]);
    }
  }
}

} // namespace
