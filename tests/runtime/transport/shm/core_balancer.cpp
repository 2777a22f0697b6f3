// SPDX-License-Identifier: BSD-3-Clause

// Ranks spread themselves evenly over cores, from wherever they are, and not to where none of theirs yields.

#include "transport/shm/core_balancer.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <random>

namespace thalweg::transport {
namespace {

cpu_set_t set_of(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores)
    CPU_SET(static_cast<std::size_t>(core), &set);
  return set;
}

// Cores as CoreBalancer sees them, of one rank.
struct FakeSystem {
  int on = 0;
  std::vector<int> may = {};
  bool may_move = true;
  int moves = 0;

  int core() const { return on; }
  std::optional<cpu_set_t> allowed_cores() const { return set_of(may); }
  bool move_to(int core, const cpu_set_t& /*allowed*/) {
    if (!may_move)
      return false;
    on = core;
    ++moves;
    return true;
  }
};

// Ranks that take turns.
class Node {
public:
  Node(std::int32_t ranks, int cores) : systems(static_cast<std::size_t>(ranks)), asleep(systems.size()) {
    core_slots_ = std::make_unique<CoreSlot[]>(systems.size());
    for (Rank rank = 0; rank < ranks; ++rank)
      balancers_.emplace_back(core_slots_.get(), rank, ranks);
    for (FakeSystem& system : systems)
      for (int core = 0; core < cores; ++core)
        system.may.push_back(core);
  }

  /// Each rank gives its core away so often, but those that compute.
  void yield(int times) {
    for (int time = 0; time < times; ++time)
      for (std::size_t rank = 0; rank < systems.size(); ++rank)
        if (!asleep[rank] && computing != static_cast<int>(rank))
          balancers_[rank].give_away(systems[rank],
                                     [this](Rank other) { return asleep[static_cast<std::size_t>(other)]; });
  }
  int ranks_on(int core) const {
    int count = 0;
    for (std::size_t rank = 0; rank < systems.size(); ++rank)
      count += !asleep[rank] && systems[rank].on == core ? 1 : 0;
    return count;
  }

  std::vector<FakeSystem> systems;
  std::vector<bool> asleep;
  int computing = -1;

private:
  std::unique_ptr<CoreSlot[]> core_slots_;
  std::vector<CoreBalancer> balancers_;
};

TEST(CoreBalancer, SpreadsEvenlyFromAnywhere) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const int cores = 2 + static_cast<int>(random() % 4);
    const auto ranks = static_cast<std::int32_t>(cores + 1 + static_cast<int>(random() % 16));
    Node node(ranks, cores);
    for (int core = 0; core < cores; ++core) // some of ours on each
      node.systems[static_cast<std::size_t>(core)].on = core;
    for (std::size_t rank = static_cast<std::size_t>(cores); rank < node.systems.size(); ++rank)
      node.systems[rank].on = static_cast<int>(random()) % cores == 0 ? 0 : cores - 1;
    node.yield(64 * 40);
    for (int core = 0; core < cores; ++core) {
      EXPECT_GE(node.ranks_on(core), ranks / cores - (cores > 2 ? 1 : 0)) << seed;
      EXPECT_LE(node.ranks_on(core), (ranks + cores - 1) / cores + (cores > 2 ? 1 : 0)) << seed;
    }
    std::vector<int> moves;
    for (const FakeSystem& system : node.systems)
      moves.push_back(system.moves);
    node.yield(64 * 40);
    for (std::size_t rank = 0; rank < moves.size(); ++rank)
      EXPECT_EQ(node.systems[rank].moves, moves[rank]) << "it goes on moving, seed " << seed;
  }
}

TEST(CoreBalancer, GoesNowhereWhereSomebodyDoesNotYield) {
  Node node(6, 2);
  node.systems[5].on = 1;
  node.computing = 5; // or it waits there for somebody else's time slice
  node.yield(64 * 10);
  EXPECT_EQ(node.ranks_on(0), 5);
  node.computing = -1;
  node.yield(64 * 10);
  EXPECT_EQ(node.ranks_on(0), 3);
}

TEST(CoreBalancer, GoesNowhereWhereNobodyIs) {
  Node node(6, 2); // the kernel knows better why
  node.yield(64 * 10);
  EXPECT_EQ(node.ranks_on(0), 6);
}

TEST(CoreBalancer, GoesWhereItMayOnly) {
  Node node(7, 3);
  node.systems[0].on = 1;
  node.systems[1].on = 2;
  for (FakeSystem& system : node.systems)
    system.may = {0, 1};
  node.systems[6].may_move = false;
  node.yield(64 * 20);
  EXPECT_EQ(node.ranks_on(2), 1);
  EXPECT_EQ(node.systems[6].on, 0);
  EXPECT_LE(node.ranks_on(0), 4);
}

TEST(CoreBalancer, DoesNotCountThoseWhoSleep) {
  Node node(6, 2);
  node.systems[4].on = node.systems[5].on = 1;
  node.yield(10);
  node.asleep[0] = node.asleep[1] = true;
  node.yield(64 * 10);
  for (const FakeSystem& system : node.systems)
    EXPECT_EQ(system.moves, 0);
}

// For any state that is seen: whoever goes makes it more even, whether the others go with it or not.
TEST(CoreBalancer, EachMoveIsForTheBetter) {
  std::mt19937 random(1);
  const cpu_set_t allowed = set_of({0, 1, 2, 3});
  for (int turn = 0; turn < 20000; ++turn) {
    std::vector<ObservedRank> ranks(2 + random() % 20);
    for (ObservedRank& one : ranks)
      one = {static_cast<int>(random() % 5) - 1, random() % 8 != 0};
    std::vector<int> goers(4);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      if (const auto better = emptier_core(ranks, static_cast<Rank>(rank), allowed)) {
        ASSERT_GE(ranks[rank].core, 0);
        const auto here = std::ranges::count(ranks, ranks[rank].core, &ObservedRank::core);
        const auto there = std::ranges::count(ranks, *better, &ObservedRank::core);
        ASSERT_GE(here - there, 2 * ++goers[static_cast<std::size_t>(ranks[rank].core)]);
        ASSERT_GT(there, 0);
        for (const ObservedRank& one : ranks)
          ASSERT_TRUE(one.core != *better || one.yields_often);
      }
  }
}

} // namespace
} // namespace thalweg::transport
