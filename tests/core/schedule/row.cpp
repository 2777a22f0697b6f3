// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/row.hpp"

#include "strategies/index.hpp"

#include <gtest/gtest.h>

namespace thalweg::schedule {
namespace {

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
