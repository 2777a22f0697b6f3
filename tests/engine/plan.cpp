// What plans know beyond the schedule: which messages of a stage carry the same bytes.

#include "engine/plan.hpp"

#include <gtest/gtest.h>

#include "schedule/builder.hpp"

namespace thalweg::engine {
namespace {

using schedule::Builder;
using schedule::output;
using schedule::StepKind;

schedule::Problem broadcast(std::int32_t ranks) {
  schedule::Problem problem;
  problem.operation = schedule::Operation::broadcast;
  problem.ranks = ranks;
  return problem;
}

/// The numbers that the plan gives to the sends, in their order.
std::vector<std::uint32_t> multicasts(Builder& builder, const schedule::Problem& problem) {
  const std::int32_t pieces = builder.pieces();
  const Plan plan(builder.finish(), uniform_layouts(problem, pieces, 64, 8));
  std::vector<std::uint32_t> numbers;
  for (const PlanStep& step : plan.steps())
    if (step.kind == StepKind::send)
      numbers.push_back(step.multicast.number);
  return numbers;
}

TEST(Plan, NumbersSendsOfTheSameBytes) {
  const auto problem = broadcast(4);
  Builder builder(problem, 0, 2);
  builder.round();
  builder.send(1, output(0));
  builder.send(2, output(1));
  builder.send(3, output(0));
  builder.send_token(1);
  builder.send_token(2);
  builder.round();
  builder.send(1, output(1));
  builder.send(2, output(1));
  builder.send(3, output(0));
  EXPECT_EQ(multicasts(builder, problem), (std::vector<std::uint32_t>{1, 0, 1, 0, 0, 1, 1, 0}));
}

// As in a pipelined all-reduce: up goes what is half done, down the result.
TEST(Plan, TellsBytesApartThatChangeWithinAStage) {
  auto problem = broadcast(4);
  Builder builder(problem, 1, 1);
  builder.round();
  const auto up = builder.send(0, output(0));
  const auto down = builder.receive(0, output(0), {up});
  builder.send(2, output(0), {down});
  builder.send(3, output(0), {down});
  EXPECT_EQ(multicasts(builder, problem), (std::vector<std::uint32_t>{0, 1, 1}));
}

} // namespace
} // namespace thalweg::engine
