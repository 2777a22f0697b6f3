// SPDX-License-Identifier: BSD-3-Clause
#include "wait/foreign_load.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <random>

namespace thalweg::wait {
namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t s = 1'000 * ms;

TEST(RunnableThreads, AreReadFromTheKernelsText) {
  EXPECT_EQ(runnable_in("0.20 0.18 0.12 1/80 11206\n"), 1);
  EXPECT_EQ(runnable_in("12.42 11.21 8.16 23/245 25979"), 23);
  for (const char* text :
       {"", "/", "0.20 0.18", "0.20 0.18 0.12 x/80", "0.20 0.18 0.12 -3/80", " /80", "1/80"})
    EXPECT_EQ(runnable_in(text), std::nullopt) << text;
}

TEST(RunnableThreads, HaveThisOneAmongThem) {
  errno = EDOM;
  const std::optional<int> now = runnable_threads();
  ASSERT_TRUE(now);
  EXPECT_GE(*now, 1);
  EXPECT_EQ(errno, EDOM) << "whoever yields expects nothing there";
}

TEST(AnotherCore, MayBeBetterBesideForeignThreadsOrWhereOneIsIdle) {
  EXPECT_TRUE(may_another_core_be_better(9, 8, 2)) << "somebody computes on one of them";
  EXPECT_TRUE(may_another_core_be_better(2, 3, 2)) << "two on one core, and one is idle";
  EXPECT_TRUE(may_another_core_be_better(1, 0, 2));
}

TEST(AnotherCore, IsNoBetterWhereRanksAloneComputeOrAllCoresAreTaken) {
  for (int cores = 1; cores < 70; ++cores)
    for (int ranks = cores + 1; ranks < 3 * cores; ++ranks) {
      for (int runnable = cores + 1; runnable <= ranks; ++runnable)
        EXPECT_FALSE(may_another_core_be_better(runnable, ranks, cores));
      EXPECT_FALSE(may_another_core_be_better(ranks + cores, ranks, cores));
    }
}

constexpr int ranks = 4;

void look(ForeignLoad& load, std::uint32_t times, int runnable) {
  for (std::uint32_t time = 0; time < times; ++time)
    load.seen(s, runnable, ranks);
}

TEST(ForeignLoad, IsThereAfterManyLooksInARowThatSawMoreThreadsThanRanks) {
  ForeignLoad load;
  for (int turn = 0; turn < 5; ++turn) {
    look(load, ForeignLoad::looks_needed - 1, 5);
    EXPECT_FALSE(load.is_there(s)) << "daemons may have run just then";
    look(load, 1, 4);
  }
  EXPECT_FALSE(load.has_been_there());
  look(load, ForeignLoad::looks_needed, 5);
  EXPECT_TRUE(load.is_there(s));
  EXPECT_TRUE(load.has_been_there());
}

TEST(ForeignLoad, OutlastsLooksWhileRanksSleepButNotForLong) {
  ForeignLoad load;
  look(load, ForeignLoad::looks_needed, 6);
  load.seen(s + 10 * ms, 3, ranks);
  EXPECT_TRUE(load.is_there(s + 10 * ms)) << "ranks that sleep want no core";
  EXPECT_FALSE(load.is_there(3 * s));
}

TEST(ForeignLoad, IsNotThereWhereRanksAreAllThatRuns) {
  std::mt19937 random(1);
  ForeignLoad load;
  for (std::uint64_t now_ns = s; now_ns < 20 * s; now_ns += random() % (10 * ms)) {
    const int runnable = static_cast<int>(random() % (ranks + 1));
    load.seen(now_ns, random() % 8 == 0 ? std::nullopt : std::optional(runnable), ranks);
    EXPECT_FALSE(load.is_there(now_ns));
  }
}

TEST(ForeignLoad, IsNotThereWhereTheKernelDoesNotSay) {
  ForeignLoad load;
  for (std::uint64_t turn = 0; turn < 20; ++turn)
    load.seen(s + turn, std::nullopt, ranks);
  EXPECT_FALSE(load.is_there(s + 10));
}

} // namespace
} // namespace thalweg::wait
