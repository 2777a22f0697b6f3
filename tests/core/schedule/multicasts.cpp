// SPDX-License-Identifier: BSD-3-Clause

// Which sends of a stage carry the same bytes to several ranks. That they do is checked over every strategy
// by loopback, in engine/every_strategy.cpp.

#include "schedule/multicasts.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "schedule/builder.hpp"

namespace thalweg::schedule {
namespace {

using Multicasts = std::vector<std::vector<std::uint32_t>>;

Problem broadcast(std::int32_t ranks) {
  Problem problem;
  problem.operation = Operation::broadcast;
  problem.ranks = ranks;
  return problem;
}

Multicasts sorted(Multicasts multicasts) {
  std::ranges::sort(multicasts);
  return multicasts;
}

TEST(Multicasts, AreSendsOfTheSameBlocks) {
  Builder builder(broadcast(4), 0, 2);
  builder.round();
  builder.send(1, output(0));
  builder.send(2, output(1));
  builder.send(3, output(0));
  builder.send_token(1);
  builder.send_token(2);
  builder.send(3, output(1));
  builder.round();
  builder.send(1, output(0, 2));
  builder.send(2, output(1));
  builder.send(3, output(1));
  const Schedule schedule = builder.finish();
  ASSERT_EQ(schedule.stages.size(), 2U);
  EXPECT_EQ(sorted(find_multicasts(schedule, 0)), (Multicasts{{0, 2}, {1, 5}}));
  EXPECT_EQ(find_multicasts(schedule, 1), (Multicasts{{7, 8}}));
}

// As in a pipelined all-reduce: up goes what is half done, down the result.
TEST(Multicasts, AreToldApartWhereBytesChangeWithinAStage) {
  Builder builder(broadcast(4), 1, 1);
  builder.round();
  const auto up = builder.send(0, output(0));
  const auto down = builder.receive(0, output(0), {up});
  builder.send(2, output(0), {down});
  builder.send(3, output(0), {down});
  EXPECT_EQ(find_multicasts(builder.finish(), 0), (Multicasts{{2, 3}}));
}

} // namespace
} // namespace thalweg::schedule
