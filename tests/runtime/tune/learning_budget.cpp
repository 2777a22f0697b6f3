// SPDX-License-Identifier: BSD-3-Clause
#include "tune/learning_budget.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace thalweg::tune {
namespace {

TEST(LearningBudget, AffordsAShareOfItsTime) {
  LearningBudget budget(0.02);
  EXPECT_FALSE(budget.affords(1));
  budget.add_time(49);
  EXPECT_FALSE(budget.affords(1));
  budget.add_time(1);
  EXPECT_TRUE(budget.affords(1));
  budget.spend(1);
  EXPECT_FALSE(budget.affords(1));
  budget.spend(-5);
  EXPECT_EQ(budget.spent_seconds(), 1) << "what was gained is not given back";
}

TEST(LearningBudget, SharesWhatOthersEarnWithinItsOwnTime) {
  ExplorationBudget together;
  LearningBudget rich(0.02, &together);
  LearningBudget poor(0.02, &together);
  rich.add_time(1000);
  EXPECT_FALSE(poor.affords(1)) << "its own calls took no time yet";
  poor.add_time(20);
  EXPECT_TRUE(poor.affords(1));
  EXPECT_FALSE(poor.affords(1.1));
}

TEST(LearningBudget, SaysHowManyCallsPayForSomething) {
  LearningBudget budget(0.5);
  EXPECT_EQ(budget.calls_until(10, 0.1), 200U);
  EXPECT_EQ(budget.calls_until(10, 100), 8U) << "agreed figures are not looked at all the time";
  EXPECT_EQ(budget.calls_until(10, 0), 4096U) << "nor never";
}

TEST(Round, CountsNoTransitions) {
  const std::vector<double> seconds{9, 8, 1, 2, 3, 9};
  const Round round{Round::Kind::measure, 6, 0, 2};
  const auto counted = round.counted(seconds);
  EXPECT_EQ(std::vector<double>(counted.begin(), counted.end()), (std::vector<double>{1, 2, 3}));
}

TEST(RoundLengths, BeginWithCallsThatPayForTheAgreement) {
  LearningLimits limits;
  EXPECT_EQ(RoundLengths(limits).first_calls(), limits.first_calls);
  limits.budget = 0.5;
  limits.min_seconds = 0x1p-20;
  limits.agreement_seconds = 0x1p-10;
  EXPECT_EQ(RoundLengths(limits).first_calls(), 2048U);
  limits.min_seconds = 1e-12;
  EXPECT_EQ(RoundLengths(limits).first_calls(), 1U << 17) << "something is measured all the same";
}

TEST(RoundLengths, CountCallsUntilTheyAreManyOrHaveTakenLong) {
  RoundLengths lengths({});
  lengths.set_call(1e-6);
  EXPECT_EQ(lengths.calls_to_count(0), 256U);
  EXPECT_EQ(lengths.calls_to_count(200), 56U);
  EXPECT_EQ(lengths.calls_to_count(1000), 0U);
  lengths.set_call(1e-2);
  EXPECT_EQ(lengths.calls_to_count(0), 2U);
}

TEST(RoundLengths, HaveFewCallsWhereTheseAreLongOrLookedAtFirst) {
  RoundLengths lengths({});
  EXPECT_EQ(lengths.calls(false), 6U) << "nothing is known";
  lengths.set_call(1e-4);
  EXPECT_EQ(lengths.row(true), 15U);
  EXPECT_EQ(lengths.row(false), 3U);
  EXPECT_EQ(lengths.settling(true), 2U);
  EXPECT_EQ(lengths.settling(false), 1U);
  lengths.set_call(1e-6);
  EXPECT_EQ(lengths.row(true), 64U);
  EXPECT_EQ(lengths.settling(true), 16U);
  lengths.set_call(1e-5);
  lengths.set_agreement(1e-4);
  EXPECT_EQ(lengths.row(true), 64U) << "the agreement is worth a longer row";
  lengths.set_call(1);
  EXPECT_EQ(lengths.calls(true), 5U);
}

TEST(RoundLengths, CostWhatACandidateTakesLonger) {
  RoundLengths lengths({});
  lengths.set_call(1e-2);
  lengths.set_agreement(1e-3);
  EXPECT_DOUBLE_EQ(lengths.excess(5e-3, true), 1e-3) << "what is faster costs the agreement alone";
  EXPECT_DOUBLE_EQ(lengths.excess(2e-2, true), 1e-3 + 5 * 1e-2);
  EXPECT_DOUBLE_EQ(lengths.excess(2e-2, false), 1e-3 + 5e-5 + 5 * 1e-2);
}

} // namespace
} // namespace thalweg::tune
