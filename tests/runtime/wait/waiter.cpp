// SPDX-License-Identifier: BSD-3-Clause
#include "wait/waiter.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace thalweg::wait {
namespace {

// Cores and their clock: yields take `yield_ns`, on the core `taken` `yield_there_ns`, sleeps what was asked.
struct World {
  std::uint64_t now_ns = 0;
  std::uint64_t yield_ns = 1'000;
  std::uint64_t yield_there_ns = 4'000'000;
  int taken = -1;
  int core = 0;
  int cores = 1;
  bool may_move = true;
  bool ranks_alone_compute = false;
  int moves = 0;
  std::string actions;
  std::uint32_t last_sleep_us = 0;
};

cpu_set_t first_cores(int count) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (int core = 0; core < count; ++core)
    CPU_SET(core, &cores);
  return cores;
}

struct FakeSystem {
  World* world;
  std::uint64_t now_ns() { return world->now_ns; }
  void relax() {
    world->actions += 'p';
    world->now_ns += 1'000;
  }
  void yield() {
    world->actions += 'y';
    world->now_ns += world->core == world->taken ? world->yield_there_ns : world->yield_ns;
  }
  void sleep_us(std::uint32_t duration) {
    world->actions += 's';
    world->last_sleep_us = duration;
    world->now_ns += std::uint64_t{duration} * 1'000;
  }
  int core() { return world->core; }
  std::optional<cpu_set_t> allowed_cores() { return first_cores(world->cores); }
  bool may_another_core_be_better() { return !world->ranks_alone_compute; }
  bool move_to(int core, const cpu_set_t&) {
    world->core = world->may_move ? core : world->core;
    world->moves += 1;
    return world->may_move;
  }
};

class WaiterPauses : public testing::Test {
protected:
  BasicWaiter<FakeSystem> waiter(const Settings& settings) {
    return BasicWaiter<FakeSystem>(settings, history, FakeSystem{&world});
  }
  World world;
  YieldHistory history;
};

TEST_F(WaiterPauses, PollsThenYieldsThenSleeps) {
  auto waits = waiter({3, 4, 20, 1000});
  for (int pause = 0; pause < 10; ++pause) {
    waits.pause();
  }
  EXPECT_EQ(world.actions, "pppyyyysss");
}

TEST_F(WaiterPauses, BeginsAnewAfterProgress) {
  auto waits = waiter({2, 2, 20, 1000});
  for (int pause = 0; pause < 6; ++pause) {
    waits.pause();
  }
  waits.reset();
  waits.pause();
  EXPECT_EQ(world.actions, "ppyyssp");
}

TEST_F(WaiterPauses, SleepsASmallPartOfTheTimeWaitedWithinBounds) {
  auto waits = waiter({0, 0, 20, 500});
  waits.pause();
  EXPECT_EQ(world.last_sleep_us, 20U);
  for (const std::uint64_t waited_us : {1600U, 6400U, 25600U}) {
    auto fresh = waiter({0, 0, 20, 500});
    fresh.pause();
    world.now_ns += waited_us * 1'000; // the look between two pauses took this long
    fresh.pause();                     // learns of it only at its end
    fresh.pause();
    EXPECT_GE(world.last_sleep_us, waited_us / 64);
    EXPECT_LE(world.last_sleep_us, (waited_us + 60) / 64 + 1);
  }
  for (int pause = 0; pause < 1000; ++pause) {
    waits.pause();
  }
  EXPECT_EQ(world.last_sleep_us, 500U);
}

// Else those who wait for it come to sleep too, and take as long in their turn, for ever.
TEST_F(WaiterPauses, WhatTakesMoreLooksAfterALongWaitEndsBeforeOthersSleepForIt) {
  const Settings settings;
  auto waits = waiter(settings);
  while (world.now_ns < 8'000'000) {
    waits.pause();
  }
  const std::uint64_t begin_ns = world.now_ns;
  constexpr int looks = 24;
  for (int look = 0; look < looks; ++look) {
    waits.pause();
  }
  EXPECT_LT(world.now_ns - begin_ns, settings.yield_us * 1'000U);
}

TEST_F(WaiterPauses, SleepsLongerAndLongerWhileYieldsAreLong) {
  world.yield_ns = 4'000'000;
  auto waits = waiter({0, 100'000'000, 20, 1000});
  std::vector<std::uint64_t> slept_ns;
  while (slept_ns.size() < 12) {
    const std::uint64_t before_ns = world.now_ns;
    waits.pause();
    if (world.actions.back() == 'y')
      slept_ns.push_back(0);
    else
      slept_ns.back() += world.now_ns - before_ns;
  }
  EXPECT_EQ(slept_ns[0], 0U) << "one long yield says nothing";
  std::uint64_t wanted_ns = world.yield_ns;
  for (std::size_t yield = 1; yield + 1 < slept_ns.size(); ++yield) {
    EXPECT_GE(slept_ns[yield], wanted_ns);
    EXPECT_LE(slept_ns[yield], wanted_ns + 1'000'000);
    wanted_ns = std::min(2 * wanted_ns, 100 * world.yield_ns);
  }
}

TEST_F(WaiterPauses, YieldsAgainSoonAfterSomebodyHasComputedOnce) {
  auto waits = waiter({0, 100'000'000, 20, 1000});
  while (world.now_ns < 20'000'000) {
    world.yield_ns = world.now_ns < 10'000'000 ? 4'000'000 : 1'000;
    waits.pause();
  }
  EXPECT_EQ(world.actions.substr(world.actions.size() - 100), std::string(100, 'y'));
}

TEST_F(WaiterPauses, OneLongYieldAmongShortOnesSaysNothing) {
  auto waits = waiter({0, 100'000'000, 20, 1000});
  for (int pause = 0; pause < 200; ++pause) {
    world.yield_ns = pause % 20 == 5 ? 4'000'000 : 1'000;
    waits.pause();
  }
  EXPECT_EQ(world.actions, std::string(200, 'y'));
}

TEST_F(WaiterPauses, RemembersLongYieldsFromOneWaitToTheNext) {
  world.yield_ns = 4'000'000;
  waiter({0, 1000, 20, 1000}).pause();
  waiter({0, 1000, 20, 1000}).pause();
  world.yield_ns = 1'000;
  waiter({0, 1000, 20, 1000}).pause();
  EXPECT_EQ(world.actions, "yys");
}

TEST_F(WaiterPauses, KeepsYieldingWhereYieldsAreShort) {
  auto waits = waiter({0, 100, 20, 1000});
  for (int pause = 0; pause < 100; ++pause) {
    waits.pause();
  }
  EXPECT_EQ(world.actions, std::string(100, 'y'));
}

TEST_F(WaiterPauses, LeavesACoreThatSomebodyComputesOn) {
  world.cores = 4;
  world.core = world.taken = 2;
  auto waits = waiter({0, 100'000'000, 20, 1000});
  for (int pause = 0; pause < 100; ++pause)
    waits.pause();
  EXPECT_EQ(world.core, 3);
  EXPECT_EQ(world.moves, 1);
  EXPECT_EQ(world.actions, std::string(100, 'y'));
}

TEST_F(WaiterPauses, StaysWhereSomebodyRanOnceNowAndThen) {
  world.cores = 2;
  auto waits = waiter({0, 1'000'000'000, 20, 1000});
  for (int pause = 0; pause < 10'000; ++pause) {
    world.taken = pause % 100 == 0 ? world.core : -1;
    waits.pause();
  }
  EXPECT_EQ(world.moves, 0);
}

TEST_F(WaiterPauses, StaysWhereTheKernelSaysThatRanksAloneCompute) {
  world.cores = 4;
  world.core = world.taken = 2;
  world.ranks_alone_compute = true;
  auto waits = waiter({0, 100'000'000, 20, 1000});
  for (int pause = 0; pause < 1000; ++pause)
    waits.pause();
  EXPECT_EQ(world.moves, 0);
  world.ranks_alone_compute = false;
  while (world.moves == 0 && world.now_ns < 100'000'000'000)
    waits.pause();
  EXPECT_EQ(world.core, 3) << "what was lost is not forgotten";
}

TEST_F(WaiterPauses, LeavesItAgainWhenTheKernelHasMovedItBack) {
  world.cores = 2;
  world.taken = 1;
  auto waits = waiter({0, 100'000'000, 20, 1000});
  for (int pause = 0; pause < 1000; ++pause) {
    if (pause % 100 == 0)
      world.core = 1;
    waits.pause();
    if (pause % 100 > 0) {
      EXPECT_EQ(world.core, 0) << "at the second yield that took long";
    }
  }
  EXPECT_EQ(world.moves, 10);
}

TEST_F(WaiterPauses, FollowsWhereTheOtherOneGoes) {
  world.cores = 2;
  world.yield_ns = 100'000;
  auto waits = waiter({0, 1'000'000'000, 20, 1000});
  for (int turn = 0; turn < 10; ++turn) {
    world.taken = turn % 2;
    const std::uint64_t begin_ns = world.now_ns;
    while (world.now_ns - begin_ns < 10'000'000'000)
      waits.pause();
    EXPECT_NE(world.core, world.taken) << turn;
  }
  EXPECT_LE(world.moves, 10);
}

TEST_F(WaiterPauses, MovesSeldomAndSleepsWhereAllCoresAreContended) {
  world.cores = 2;
  world.yield_ns = 4'000'000;
  auto waits = waiter({0, 1'000'000'000, 20, 1000});
  while (world.now_ns < 20'000'000'000)
    waits.pause();
  EXPECT_LE(world.moves, 10);
  EXPECT_GT(std::ranges::count(world.actions, 's'), std::ranges::count(world.actions, 'y'));
}

TEST_F(WaiterPauses, StaysWhereItMayNotMove) {
  world.cores = 2;
  world.taken = 0;
  world.may_move = false;
  auto waits = waiter({0, 1'000'000'000, 20, 1000});
  while (world.now_ns < 1'000'000'000)
    waits.pause();
  EXPECT_EQ(world.moves, 1) << "does not try again";
  EXPECT_GT(std::ranges::count(world.actions, 's'), std::ranges::count(world.actions, 'y'));
}

TEST_F(WaiterPauses, StaysOnTheOnlyCore) {
  world.taken = 0;
  auto waits = waiter({0, 1'000'000'000, 20, 1000});
  while (world.now_ns < 1'000'000'000)
    waits.pause();
  EXPECT_EQ(world.moves, 0);
}

bool same(const cpu_set_t& one, const cpu_set_t& other) {
  return CPU_EQUAL(&one, &other);
}

TEST(System, MovesAThreadAndLeavesItAllowedWhereItWas) {
  const std::optional<cpu_set_t> allowed = System::allowed_cores();
  ASSERT_TRUE(allowed);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &*allowed))
      continue;
    EXPECT_TRUE(System::move_to(core, *allowed));
    EXPECT_TRUE(same(System::allowed_cores().value(), *allowed));
  }
  cpu_set_t none;
  CPU_ZERO(&none);
  EXPECT_FALSE(System::move_to(CPU_SETSIZE - 1, none)) << "no machine here has that core";
  EXPECT_TRUE(same(System::allowed_cores().value(), *allowed));
}

} // namespace
} // namespace thalweg::wait
