// SPDX-License-Identifier: BSD-3-Clause

// What is left of all-to-alls in which ranks have something for some others only.

#include "schedule/sparse_exchange.hpp"

#include "schedule/static_checks.hpp"
#include "strategies/index.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace thalweg::schedule {
namespace {

std::int64_t partners(Rank source, std::int32_t ranks, double degree) {
  std::int64_t count = 0;
  for (Rank rank = 0; rank < ranks; ++rank)
    count += rank != source && has_block(source, rank, ranks, degree) ? 1 : 0;
  return count;
}

TEST(HasBlock, ARankHasBlocksForTheNextOnesInTheMean) {
  EXPECT_TRUE(has_block(3, 0, 4, 1));
  EXPECT_FALSE(has_block(3, 1, 4, 1));
  for (const std::int32_t ranks : {2, 5, 16})
    for (const double degree : {0.25, 1.0, 2.5, 3.0, 15.0, 64.0}) {
      const double wanted = std::min<double>(degree, ranks - 1);
      std::int64_t all = 0;
      for (Rank rank = 0; rank < ranks; ++rank) {
        const std::int64_t own = partners(rank, ranks, degree);
        EXPECT_LE(std::abs(static_cast<double>(own) - wanted), 1);
        all += own;
      }
      EXPECT_EQ(all, static_cast<std::int64_t>(std::floor(wanted * ranks))) << ranks << ", " << degree;
    }
}

TEST(HasBlock, OwnBlocksAreEmptyUnlessAllHaveSome) {
  EXPECT_FALSE(has_block(2, 2, 8, 3));
  EXPECT_TRUE(has_block(2, 2, 8, 7));
}

TEST(CarriedBlock, IsTheMeanAndItsLength) {
  EXPECT_EQ(carried_block_bytes(1000, 16, 15), 1001);
  EXPECT_EQ(carried_block_bytes(3000, 16, 1), carried_block_bytes(1000, 16, 3));
  EXPECT_EQ(carried_block_bytes(0, 16, 1), 1);
}

/// Blocks that all ranks of a thinned schedule send, and whether every message meets its receive.
std::size_t blocks_sent(const strategies::Strategy& strategy, const Problem& problem, double degree) {
  std::vector<Schedule> thinned;
  std::size_t blocks = 0;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    thinned.push_back(without_empty_messages(strategies::build(strategy, problem, rank), degree));
    const Schedule& one = thinned.back();
    std::vector<std::string> faults;
    find_local_hazards(problem, one, 1, faults);
    EXPECT_TRUE(faults.empty()) << strategy.name << ": " << faults.front();
    for (const Step& step : one.steps)
      for (const BlockRange& range :
           step.kind == StepKind::send ? one.source(step) : std::span<const BlockRange>{})
        blocks += static_cast<std::size_t>(range.count) * static_cast<std::size_t>(range.run);
  }
  std::vector<std::string> faults;
  match_messages(thinned, 1, faults);
  EXPECT_TRUE(faults.empty()) << strategy.name << ": " << faults.front();
  return blocks;
}

TEST(WithoutEmptyMessages, EveryBlockThatIsThereIsSentOnceAndMeetsItsReceive) {
  for (const strategies::Strategy& strategy : strategies::of(Operation::alltoall)) {
    if (!strategy.unequal_blocks)
      continue;
    for (const std::int32_t ranks : {2, 5, 8, 13})
      for (const double degree : {0.5, 1.0, 2.5, 4.0, 12.0}) {
        Problem problem{.operation = Operation::alltoall, .ranks = ranks, .unit_bytes = 64};
        problem.parameters = strategies::resolve(strategy, {});
        if (strategies::unsupported_reason(strategy, problem))
          continue;
        std::size_t wanted = 0;
        for (Rank rank = 0; rank < ranks; ++rank)
          wanted += static_cast<std::size_t>(partners(rank, ranks, degree));
        EXPECT_EQ(blocks_sent(strategy, problem, degree), wanted) << strategy.name << ", " << ranks;
      }
  }
}

TEST(WithoutEmptyMessages, ToAllItIsTheWhole) {
  const strategies::Strategy& cyclic = strategies::find(Operation::alltoall, "cyclic");
  Problem problem{.operation = Operation::alltoall, .ranks = 9};
  problem.parameters = strategies::resolve(cyclic, {{"window", 3}, {"barrier", 1}});
  const Schedule whole = strategies::build(cyclic, problem, 4);
  const Schedule same = without_empty_messages(whole, 8);
  EXPECT_EQ(same.steps.size(), whole.steps.size());
  EXPECT_EQ(same.stages, whole.stages);
  EXPECT_EQ(same.predecessors, whole.predecessors);
}

TEST(WithoutEmptyMessages, TokensStay) {
  const strategies::Strategy& cyclic = strategies::find(Operation::alltoall, "cyclic");
  Problem problem{.operation = Operation::alltoall, .ranks = 8};
  problem.parameters = strategies::resolve(cyclic, {{"barrier", 1}});
  const auto tokens = [](const Schedule& schedule) {
    return std::ranges::count_if(schedule.steps, [&](const Step& step) {
      return step.kind == StepKind::send && schedule.source(step).empty();
    });
  };
  const Schedule whole = strategies::build(cyclic, problem, 0);
  ASSERT_GT(tokens(whole), 0);
  EXPECT_EQ(tokens(without_empty_messages(whole, 1)), tokens(whole));
}

} // namespace
} // namespace thalweg::schedule
