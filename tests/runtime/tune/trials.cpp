// SPDX-License-Identifier: BSD-3-Clause
#include "tune/trials.hpp"

#include <gtest/gtest.h>

namespace thalweg::tune {
namespace {

constexpr double hopeless = 3;

TEST(Trials, BeginWithNativeOrWithWhatWasFoundBefore) {
  EXPECT_EQ(Trials("").all().size(), 1U);
  EXPECT_EQ(Trials("native").all().size(), 1U);
  const Trials found("ring");
  EXPECT_EQ(found[found.incumbent()].text, "ring");
  EXPECT_EQ(found[found.incumbent()].outcome, Outcome::began_with);
  EXPECT_EQ(found[Trials::native].text, "native");
}

TEST(Trials, KeepTheirIndexAndTakeNewExpectations) {
  Trials trials("ring");
  trials.add({{{"bruck", 2}, {"ring", 3}}});
  trials.add({{{"bruck", 5}, {"mesh", 4}}});
  ASSERT_EQ(trials.all().size(), 4U);
  EXPECT_EQ(trials[1].predicted, 3);
  EXPECT_EQ(trials[2].text, "bruck");
  EXPECT_EQ(trials[2].predicted, 5);
  EXPECT_EQ(trials[3].text, "mesh");
}

TEST(Trials, TakeTheMedianOfTheLastRounds) {
  Trials trials("");
  for (const double seconds : {9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 8.0})
    trials.add_round(Trials::native, seconds);
  EXPECT_EQ(trials[Trials::native].seconds, 5) << "the first one is forgotten";
  EXPECT_EQ(trials[Trials::native].rounds, 10U);
}

// A model that is wrong by the same factor for all is not wrong about their order.
TEST(Trials, ExpectWhatTheModelSaysTimesWhatItIsWrongBy) {
  Trials trials("");
  trials.add({{{"fair", 1}, {"slow", 1}, {"open", 10}}});
  EXPECT_EQ(trials.expected_seconds(3), 0) << "nothing was measured yet";
  trials.add_round(2, 8);
  EXPECT_EQ(trials.expected_seconds(3), 80);
  trials.add_round(1, 2);
  EXPECT_EQ(trials.expected_seconds(3), 20);
  EXPECT_EQ(trials.expected_seconds(2), 8);
}

TEST(Trials, GoByTheModelAndTakeTheLikeOfLosersLast) {
  Trials trials("");
  trials.add({{{"first", 1}, {"like it", 1.005}, {"other", 2}, {"far", 3.1}}});
  EXPECT_EQ(trials.next(hopeless), 1U);
  trials.add_round(1, 1);
  trials.set_outcome(1, Outcome::not_faster);
  EXPECT_EQ(trials.next(hopeless), 3U);
  trials.set_outcome(3, Outcome::cannot_do_it);
  EXPECT_EQ(trials.next(hopeless), 2U);
  trials.set_outcome(2, Outcome::much_slower);
  EXPECT_EQ(trials.next(hopeless), trials.incumbent()) << "what is left is hopeless";
}

TEST(Trials, HaveOneInUse) {
  Trials trials("");
  trials.add({{{"faster", 1}}});
  trials.add_round(1, 1);
  trials.adopt(1);
  EXPECT_EQ(trials.incumbent(), 1U);
  EXPECT_EQ(trials[1].outcome, Outcome::in_use);
  EXPECT_EQ(trials[Trials::native].outcome, Outcome::outdone);
}

TEST(Trials, OfASearchBeforeAreOpenAgainAndKeepWhatWasMeasured) {
  Trials trials("");
  trials.add({{{"tried", 1}, {"not", 2}}});
  trials.add_round(1, 5);
  trials.set_outcome(1, Outcome::much_slower);
  trials.begin_search();
  EXPECT_EQ(trials[Trials::native].outcome, Outcome::in_use);
  EXPECT_EQ(trials[1].outcome, Outcome::tried_before_change);
  EXPECT_EQ(trials[2].outcome, Outcome::not_tried);
  EXPECT_FALSE(trials.is_fresh(1));
  EXPECT_EQ(trials[1].seconds, 5);
  EXPECT_EQ(trials.next(hopeless), 1U);
  trials.add_round(1, 7);
  EXPECT_EQ(trials[1].seconds, 7);
  EXPECT_EQ(trials[1].rounds, 1U);
}

TEST(Trials, OutcomesHaveWordsOfTheirOwn) {
  for (const Outcome outcome : outcomes)
    for (const Outcome other : outcomes)
      EXPECT_EQ(text_of(outcome) == text_of(other), outcome == other);
}

} // namespace
} // namespace thalweg::tune
