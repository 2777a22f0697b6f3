// SPDX-License-Identifier: BSD-3-Clause
#include "wait/yield_history.hpp"

#include <gtest/gtest.h>
#include <initializer_list>
#include <random>

namespace thalweg::wait {
namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t s = 1'000 * ms;

cpu_set_t cores(std::initializer_list<int> members) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : members)
    CPU_SET(core, &set);
  return set;
}

TEST(YieldHistory, TimesEachYieldAfterALongOneUntilManyWereShort) {
  YieldHistory history;
  EXPECT_EQ(history.yielded_shortly(8), 7U) << "none was long yet";
  history.yielded(s, s + 4 * ms, 200);
  int timed = 0;
  while (history.yielded_shortly(8) == 0)
    ++timed;
  EXPECT_EQ(timed, 16);
  EXPECT_EQ(history.yielded_shortly(8), 7U);
}

TEST(YieldHistory, SleepsAfterLongYieldsInARowThatWereFoundAmongUntimedOnes) {
  YieldHistory history;
  ASSERT_EQ(history.yielded_shortly(8), 7U);
  history.yielded(s, s + 4 * ms, 200);
  EXPECT_FALSE(history.prefers_sleep(s + 4 * ms)) << "one says nothing";
  ASSERT_EQ(history.yielded_shortly(8), 0U);
  history.yielded(s + 5 * ms, s + 9 * ms, 200);
  EXPECT_TRUE(history.prefers_sleep(s + 9 * ms));
}

TEST(ContendedCores, StaysWhereNothingWasLost) {
  EXPECT_EQ(ContendedCores().better_than(1, s, cores({0, 1, 2})), std::nullopt);
}

TEST(ContendedCores, GoesToTheNextAllowedCore) {
  ContendedCores taken;
  taken.lost(5, s, 4 * ms);
  EXPECT_EQ(taken.better_than(5, s, cores({1, 3, 5, 9, 12})), 9);
  EXPECT_EQ(taken.better_than(5, s, cores({1, 3, 5})), 1) << "and round the end";
  EXPECT_EQ(taken.better_than(5, s, cores({5})), std::nullopt);
}

TEST(ContendedCores, PassesOverCoresThatAreHardlyBetter) {
  ContendedCores taken;
  taken.lost(0, s, 80 * ms);
  taken.lost(1, s, 11 * ms);
  EXPECT_EQ(taken.better_than(0, s, cores({0, 1})), std::nullopt);
  EXPECT_EQ(taken.better_than(0, s, cores({0, 1, 2})), 2);
  taken.lost(2, s, 3 * ms);
  EXPECT_EQ(taken.better_than(0, s, cores({0, 1, 2})), 2) << "not nothing, but less than an eighth";
  taken.lost(0, s, 16 * ms);
  EXPECT_EQ(taken.better_than(0, s, cores({0, 1})), 1) << "what was lost adds up";
}

TEST(ContendedCores, ForgetsHalfInTwoSeconds) {
  ContendedCores taken;
  taken.lost(1, 0, 64 * ms);
  taken.lost(0, 6 * s, 60 * ms);
  EXPECT_EQ(taken.better_than(0, 6 * s, cores({0, 1})), std::nullopt) << "8 ms are left";
  taken.lost(0, 6 * s, 10 * ms);
  EXPECT_EQ(taken.better_than(0, 6 * s, cores({0, 1})), 1);
}

TEST(ContendedCores, ToleratesTimesOutOfOrder) {
  ContendedCores taken;
  taken.lost(1, 5 * s, 4 * ms);
  taken.lost(1, 5 * s - 1'000, 4 * ms);
  EXPECT_EQ(taken.better_than(1, 5 * s - 2'000, cores({0, 1})), 0);
}

TEST(ContendedCores, RemembersTheWorstOfMany) {
  ContendedCores taken;
  taken.lost(0, s, 100 * ms);
  for (int core = 1; core < 200; ++core)
    taken.lost(core, s, ms);
  EXPECT_EQ(taken.better_than(0, s, cores({0, 199})), 199);
  taken.lost(199, s, 20 * ms);
  EXPECT_EQ(taken.better_than(199, s, cores({0, 199})), std::nullopt) << "100 ms were lost there";
}

TEST(ContendedCores, NeverGoesWhereItMayNotOrToWhatIsNoBetter) {
  std::mt19937 random(1);
  for (int turn = 0; turn < 2000; ++turn) {
    ContendedCores taken;
    std::uint64_t now_ns = 0;
    const cpu_set_t allowed = cores({0, 2, 3, 7, 8, 13, static_cast<int>(random() % CPU_SETSIZE)});
    for (int loss = 0; loss < 30; ++loss) {
      const int core = static_cast<int>(random() % 16);
      now_ns += random() % s;
      taken.lost(core, now_ns, 1 + random() % (50 * ms));
      if (const auto better = taken.better_than(core, now_ns, allowed)) {
        EXPECT_TRUE(CPU_ISSET(*better, &allowed));
        EXPECT_NE(*better, core);
        EXPECT_NE(taken.better_than(*better, now_ns, allowed), core) << "would go back at once";
      }
    }
  }
}

} // namespace
} // namespace thalweg::wait
