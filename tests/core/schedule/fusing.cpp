// SPDX-License-Identifier: BSD-3-Clause

// What becomes one step, and what must stay two. That fused schedules do what their operations say is proven
// with all strategies (tests/core/strategies/proofs.cpp): the builder fuses them all.

#include "schedule/fusing.hpp"

#include "schedule/builder.hpp"
#include "schedule/printer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace thalweg::schedule {
namespace {

Builder allreduce_builder() {
  return {Problem{.operation = Operation::allreduce, .ranks = 3}, 1, 2};
}

std::vector<std::string> steps(Builder& builder) {
  const Schedule schedule = builder.finish();
  std::vector<std::string> found;
  for (const Step& step : schedule.steps) {
    std::string text = print_step(schedule, step);
    for (const std::uint32_t predecessor : schedule.predecessors_of(step))
      text += fmt::format(", after {}", predecessor);
    found.push_back(text);
  }
  return found;
}

using Texts = std::vector<std::string>;

TEST(Fusing, CombinesOnesOwnWithWhatComes) {
  Builder b = allreduce_builder();
  const StepId earlier = b.send(2, input(1));
  const StepId got = b.receive(0, output(0), {earlier});
  const StepId sum = b.combine(input(0), output(0), Side::left, {got});
  b.send(2, output(0), {sum});
  EXPECT_EQ(steps(b),
            Texts({"send input[1] to 2", "receive input[0] (+) message into output[0] from 0, after 0",
                   "send output[0] to 2, after 1"}));
}

TEST(Fusing, KeepsTheSidesOfOperands) {
  Builder b = allreduce_builder();
  b.combine(input(0), output(0), Side::right, {b.receive(0, output(0))});
  EXPECT_EQ(steps(b), Texts({"receive message (+) input[0] into output[0] from 0"}));
}

TEST(Fusing, NeedsNoCopyOfOnesOwn) {
  Builder b = allreduce_builder();
  const StepId earlier = b.send(2, input(1));
  const StepId own = b.copy(input(0), output(0), {earlier});
  const StepId first = b.receive_combine(0, output(0), Side::right, {own});
  b.receive_combine(2, output(0), Side::right, {first});
  EXPECT_EQ(steps(b),
            Texts({"send input[1] to 2", "receive input[0] (+) message into output[0] from 0, after 0",
                   "receive output[0] (+) message into output[0] from 2, after 1"}));
}

TEST(Fusing, LeavesWhatOthersWaitFor) {
  Builder b = allreduce_builder();
  const StepId got = b.receive(0, output(0));
  const StepId passed_on = b.send(2, output(0), {got});
  b.combine(input(0), output(0), Side::left, {got, passed_on});
  EXPECT_EQ(steps(b).size(), 3U);
  b = allreduce_builder();
  const StepId own = b.copy(input(0), output(0));
  const StepId sent = b.send(2, output(0), {own});
  b.receive_combine(0, output(0), Side::right, {own, sent});
  EXPECT_EQ(steps(b).size(), 3U);
}

TEST(Fusing, LeavesOtherBlocks) {
  Builder b = allreduce_builder();
  b.combine(input(0), output(0), Side::left, {b.receive(0, output(0, 2))});
  b.round();
  b.receive_combine(0, output(0), Side::right, {b.copy(input(0, 2), output(0, 2))});
  EXPECT_EQ(steps(b).size(), 4U);
}

TEST(Fusing, LeavesSumsThatWaitForTheirOwnMessage) {
  // The peer's message may come only when ours has gone.
  Builder b = allreduce_builder();
  const StepId sent = b.send(0, output(0));
  const StepId got = b.receive(0, output(1));
  b.combine(output(0), output(1), Side::left, {sent, got});
  EXPECT_EQ(steps(b).size(), 3U);
}

TEST(Fusing, MovesTheStagesThatFollow) {
  Builder b = allreduce_builder();
  b.receive_combine(0, output(0), Side::right, {b.copy(input(0), output(0))});
  b.round();
  b.send(2, output(0));
  b.round();
  b.combine(input(1), output(1), Side::left, {b.receive(2, output(1))});
  const Schedule schedule = b.finish();
  EXPECT_EQ(schedule.steps.size(), 3U);
  EXPECT_EQ(schedule.stages, std::vector<std::uint32_t>({0, 1, 2}));
}

} // namespace
} // namespace thalweg::schedule
