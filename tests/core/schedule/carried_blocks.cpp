// SPDX-License-Identifier: BSD-3-Clause

// What messages carry where ranks between pass on blocks of which some are empty.

#include "schedule/carried_blocks.hpp"

#include "schedule/sparse_exchange.hpp"
#include "strategies/degree.hpp"

#include <gtest/gtest.h>

namespace thalweg::schedule {
namespace {

Problem problem_of(const strategies::Strategy& strategy, std::int32_t ranks, double degree = 0) {
  Problem problem{.operation = strategy.operation, .ranks = ranks, .unit_bytes = 64};
  problem.parameters = strategies::resolve(strategy, {});
  if (strategies::is_among_neighbors(strategy.operation))
    problem.neighborhoods = strategies::neighborhoods_of(ranks, degree);
  return problem;
}

/// Full blocks in all messages together; as many are sent as are received.
std::int64_t carried(std::string_view name, std::int32_t ranks, double degree,
                     Operation operation = Operation::alltoall) {
  const strategies::Strategy& strategy = strategies::find(operation, name);
  const std::vector<Schedule> schedules =
      strategies::build_all(strategy, problem_of(strategy, ranks, degree));
  const auto full = full_blocks(schedules, degree);
  std::int64_t sent = 0;
  std::int64_t received = 0;
  for (const Schedule& one : schedules)
    for (std::size_t s = 0; s < one.steps.size(); ++s) {
      const std::int64_t blocks = full[static_cast<std::size_t>(one.rank)][s];
      if (one.steps[s].kind == StepKind::send)
        sent += blocks;
      else if (is_receive(one.steps[s]))
        received += blocks;
      else
        EXPECT_EQ(blocks, 0);
    }
  EXPECT_EQ(sent, received);
  return sent;
}

/// Of all pairs that have a block, in how many digits their ranks differ.
std::int64_t differing_digits(std::int32_t ranks, double degree, std::int32_t radix) {
  std::int64_t digits = 0;
  for (Rank from = 0; from < ranks; ++from)
    for (Rank to = 0; to < ranks; ++to)
      for (std::int32_t place = 1; place < ranks; place *= radix)
        digits += has_block(from, to, ranks, degree) && from / place % radix != to / place % radix ? 1 : 0;
  return digits;
}

TEST(FullBlocks, TravelAStepForEachDimensionInWhichTheirRanksDiffer) {
  for (const double degree : {0.5, 1.0, 3.0, 20.0, 63.0}) {
    EXPECT_EQ(carried("mesh2d", 64, degree), differing_digits(64, degree, 8)) << degree;
    EXPECT_EQ(carried("mesh3d", 64, degree), differing_digits(64, degree, 4)) << degree;
    EXPECT_EQ(carried("hypercube", 64, degree), differing_digits(64, degree, 2)) << degree;
  }
}

TEST(FullBlocks, WithoutRanksBetweenEachTravelsOnce) {
  for (const std::int32_t ranks : {2, 7, 12})
    EXPECT_EQ(carried("direct", ranks, 1), ranks);
}

TEST(FullBlocks, AmongNeighborsAreThoseOfEdges) {
  for (const double degree : {0.5, 3.0, 20.0}) {
    EXPECT_EQ(carried("mesh", 64, degree, Operation::neighbor_alltoall), differing_digits(64, degree, 8));
    EXPECT_EQ(carried("direct", 64, degree, Operation::neighbor_alltoall),
              static_cast<std::int64_t>(64 * degree));
  }
}

TEST(FullBlocks, EveryStrategyComesToItsEndWhateverIsEmpty) {
  for (const strategies::Strategy& strategy : strategies::of(Operation::alltoall))
    for (const std::int32_t ranks : {3, 10}) {
      const Problem problem = problem_of(strategy, ranks);
      if (strategies::unsupported_reason(strategy, problem))
        continue;
      EXPECT_GE(carried(strategy.name, ranks, 2), 2 * ranks) << strategy.name;
    }
}

TEST(MessageBytes, AreThoseOfFullBlocksAndALengthForEach) {
  EXPECT_EQ(message_bytes(4, 0, 1000), 4);
  EXPECT_EQ(message_bytes(4, 1, 100), 3 + 101);
  EXPECT_EQ(message_bytes(4, 4, 1000), 4 * 1002);
}

} // namespace
} // namespace thalweg::schedule
