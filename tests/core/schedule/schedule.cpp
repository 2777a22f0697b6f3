// SPDX-License-Identifier: BSD-3-Clause

// What is read off schedules: sends that carry the same bytes to several ranks, and calls in a row.

#include "schedule/schedule.hpp"

#include "schedule/builder.hpp"
#include "strategies/index.hpp"

#include <algorithm>
#include <gtest/gtest.h>

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

// Every strategy's call, three times over: the same steps and stages again, predecessors within their own.
TEST(Row, RepeatsEveryStrategysCalls) {
  constexpr std::int32_t times = 3;
  for (const Operation operation : {Operation::barrier, Operation::broadcast, Operation::allreduce})
    for (const strategies::Strategy& strategy : strategies::of(operation)) {
      Problem problem{.operation = operation, .ranks = 6, .unit_bytes = 4096};
      problem.parameters = strategies::resolve(strategy, {});
      if (strategies::unsupported_reason(strategy, problem))
        continue;
      const Schedule call = strategies::build(strategy, problem, 1);
      const Schedule row = in_a_row(call, times);
      ASSERT_EQ(row.steps.size(), times * call.steps.size()) << strategy.name;
      ASSERT_EQ(row.stages.size(), times * call.stages.size()) << strategy.name;
      for (std::size_t s = 0; s < row.steps.size(); ++s) {
        const std::size_t first = s / call.steps.size() * call.steps.size();
        const Step& one = call.steps[s - first];
        EXPECT_EQ(row.steps[s].kind, one.kind) << strategy.name;
        EXPECT_EQ(row.steps[s].peer, one.peer) << strategy.name;
        const auto found = row.predecessors_of(row.steps[s]);
        const auto expected = call.predecessors_of(one);
        ASSERT_EQ(found.size(), expected.size()) << strategy.name;
        for (std::size_t p = 0; p < found.size(); ++p)
          EXPECT_EQ(found[p], first + expected[p]) << strategy.name;
      }
      for (std::size_t stage = 0; stage < row.stages.size(); ++stage) {
        const std::size_t time = stage / call.stages.size();
        EXPECT_EQ(row.stages[stage], time * call.steps.size() + call.stages[stage % call.stages.size()])
            << strategy.name;
      }
    }
}

} // namespace

} // namespace thalweg::schedule
