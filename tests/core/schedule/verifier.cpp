// SPDX-License-Identifier: BSD-3-Clause

// The verifier tells the order of operands, also for operators that commute: all ranks of an all-reduce must
// combine the same on the same sides, in place or not.

#include "schedule/verifier.hpp"

#include "schedule/builder.hpp"

#include <gtest/gtest.h>

namespace thalweg::schedule {
namespace {

/// Two ranks that exchange their vectors; what comes to a rank stands on the side that `sides` has for it.
Verdict exchanged(std::array<Side, 2> sides, bool in_place) {
  Problem problem;
  problem.operation = Operation::allreduce;
  problem.ranks = 2;
  problem.in_place = in_place;
  std::vector<Schedule> schedules;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    Builder builder(problem, rank, 1);
    const std::int32_t other = builder.scratch_blocks(1);
    builder.send(1 - rank, input(0));
    builder.receive(1 - rank, scratch(other));
    builder.round();
    if (!in_place)
      builder.copy(input(0), output(0));
    builder.round();
    builder.combine(scratch(other), output(0), sides[static_cast<std::size_t>(rank)]);
    schedules.push_back(builder.finish());
  }
  return verify(problem, schedules);
}

TEST(OperandOrder, IsOneForAllRanks) {
  const std::array by_rank{Side::right, Side::left};
  const std::array by_arrival{Side::left, Side::right};
  for (const bool in_place : {false, true}) {
    EXPECT_TRUE(exchanged(by_rank, in_place).same_on_all_ranks);
    EXPECT_TRUE(exchanged(by_rank, in_place).in_rank_order);
    EXPECT_TRUE(exchanged(by_arrival, in_place).same_on_all_ranks);
    EXPECT_FALSE(exchanged(by_arrival, in_place).in_rank_order);
    for (const Side side : {Side::left, Side::right}) {
      const Verdict each_its_own_first = exchanged({side, side}, in_place);
      EXPECT_TRUE(each_its_own_first.proven());
      EXPECT_FALSE(each_its_own_first.same_on_all_ranks);
    }
  }
}

TEST(OperandOrder, IsWhatFingerprintsTell) {
  const std::array by_rank{Side::right, Side::left};
  const std::array by_arrival{Side::left, Side::right};
  EXPECT_EQ(exchanged(by_rank, false).fingerprint, exchanged(by_rank, true).fingerprint);
  EXPECT_NE(exchanged(by_rank, false).fingerprint, exchanged(by_arrival, false).fingerprint);
  EXPECT_NE(exchanged(by_rank, false).fingerprint, exchanged({Side::right, Side::right}, false).fingerprint);
}

} // namespace
} // namespace thalweg::schedule
