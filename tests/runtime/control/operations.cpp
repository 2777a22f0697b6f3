// SPDX-License-Identifier: BSD-3-Clause

// Every operation on 1 to 17 ranks in any order, many at once, on overlapping groups, held against what one
// who knows all values finds.

#include "checked_operations.hpp"
#include "simulated_group.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace thalweg::control {
namespace {

class Operations : public testing::TestWithParam<Below> {};

TEST_P(Operations, GiveWhatTheySay) {
  for (std::int32_t ranks = 1; ranks <= 17; ++ranks) {
    const auto seed = static_cast<std::uint32_t>(ranks);
    SimulatedGroup group(ranks, GetParam(), ranks % 2 == 0 ? std::vector<Rank>{} : shuffled(ranks, seed));
    std::vector<SimulatedRank> all(static_cast<std::size_t>(ranks));
    for (Rank rank = 0; rank < ranks; ++rank)
      all[static_cast<std::size_t>(rank)].add([&, rank] {
        return std::make_unique<TaskRun<void>>(group.of(rank), check_each(group.of(rank), seed));
      });
    ASSERT_TRUE(run_all(all, seed)) << ranks << " ranks";
  }
}

// A whole and a part of it, as teams have. On each, tasks begin in an order of its own.
TEST_P(Operations, NeverTakeEachOthersMessages) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const auto ranks = static_cast<std::int32_t>(1 + seed % 9);
    const std::int32_t part_ranks = (ranks + 1) / 2;
    SimulatedGroup whole(ranks, GetParam(), shuffled(ranks, seed));
    SimulatedGroup part(part_ranks, GetParam(), {});
    std::vector<SimulatedRank> all(static_cast<std::size_t>(ranks));
    for (std::uint32_t task = 0; task < 12; ++task)
      for (Rank rank = 0; rank < ranks; ++rank) {
        const bool is_parts = task % 3 == 1;
        if (is_parts && rank >= part_ranks)
          continue;
        Control& control = (is_parts ? part : whole).of(rank);
        all[static_cast<std::size_t>(rank)].add([&control, seed, task] {
          return std::make_unique<TaskRun<void>>(control, check_some(control, seed * 100 + task, 6));
        });
      }
    ASSERT_TRUE(run_all(all, seed)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Over, Operations,
                         testing::Values(Below::eager, Below::rendezvous, Below::aggregation));

// Ranks as threads, which wait, and one of which comes late.
TEST(Threads, RunOperationsToTheEnd) {
  constexpr std::int32_t ranks = 5;
  SimulatedGroup group(ranks, Below::rendezvous, {});
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      for (std::uint32_t seed = 0; seed < 20; ++seed) {
        if (rank == static_cast<Rank>(seed % ranks))
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
        group.of(rank).run(check_some(group.of(rank), seed, 3));
      }
    });
  for (std::thread& thread : threads)
    thread.join();
}

} // namespace
} // namespace thalweg::control
