// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/line_distance.hpp"

#include <gtest/gtest.h>
#include <random>

namespace thalweg::transport {
namespace {

// Ticks of 2.6 GHz that loads took between cores that share a cache, and between others; and one that was
// fetched ahead.
constexpr std::uint64_t near_ticks = 104;
constexpr std::uint64_t far_ticks = 338;
constexpr std::uint64_t fetched_ticks = 26;
constexpr std::uint64_t interrupted_ticks = 100'000;

/// Lines come, each `ticks` away; how many were timed.
template <typename Ticks>
int lines_come(LineDistance& distance, int lines, Ticks ticks) {
  int timed = 0;
  for (int line = 0; line < lines; ++line) {
    if (distance.is_due()) {
      distance.took(ticks());
      ++timed;
    }
    distance.line_came();
  }
  return timed;
}

TEST(LineDistance, IsNearUntilItIsKnown) {
  LineDistance distance;
  EXPECT_FALSE(distance.is_far());
  EXPECT_EQ(distance.ticks(), 0U);
  lines_come(distance, 3, [] { return far_ticks; });
  EXPECT_TRUE(distance.is_far());
  EXPECT_EQ(distance.ticks(), far_ticks);
}

TEST(LineDistance, TimesFewLinesAndFollowsCoresThatMove) {
  LineDistance distance;
  for (int turn = 0; turn < 10; ++turn) {
    lines_come(distance, 40, [] { return near_ticks; });
    EXPECT_FALSE(distance.is_far()) << turn;
    EXPECT_LT(lines_come(distance, 1000, [] { return near_ticks; }), 50);
    lines_come(distance, 40, [] { return far_ticks; });
    EXPECT_TRUE(distance.is_far()) << turn;
    EXPECT_LT(lines_come(distance, 1000, [] { return far_ticks; }), 50);
  }
}

// One in six loads was interrupted, or its line was there already: the median of three is wrong seldom.
TEST(LineDistance, IsNotMisledByASingleLoad) {
  std::mt19937 random(7);
  for (const bool is_far : {false, true}) {
    LineDistance distance;
    const auto ticks = [&] {
      if (random() % 6 == 0)
        return is_far ? fetched_ticks : interrupted_ticks;
      return is_far ? far_ticks : near_ticks;
    };
    lines_come(distance, 40, ticks);
    int wrong = 0;
    for (int turn = 0; turn < 1000; ++turn) {
      lines_come(distance, 7, ticks);
      wrong += distance.is_far() != is_far;
    }
    EXPECT_LT(wrong, 200) << is_far;
  }
}

TEST(LineDistance, IsNotLookedForWhereRanksShareCoresOrNoClockIsCheap) {
  LineDistance shared(false);
  EXPECT_EQ(lines_come(shared, 1000, [] { return far_ticks; }), 0);
  EXPECT_FALSE(shared.is_far());
  LineDistance without_clock;
  EXPECT_EQ(lines_come(without_clock, 1000, [] { return std::uint64_t{0}; }), 1);
  EXPECT_FALSE(without_clock.is_far());
}

} // namespace
} // namespace thalweg::transport
