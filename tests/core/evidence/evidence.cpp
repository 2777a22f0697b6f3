// SPDX-License-Identifier: BSD-3-Clause
#include "evidence/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace thalweg::evidence {
namespace {

TEST(Typical, IsTheMedianOfFewAndAMeanOfMore) {
  EXPECT_EQ(typical(std::vector<double>{}), 0);
  EXPECT_EQ(typical(std::vector<double>{1, 9, 2}), 2);
  // One call of four takes as long as the others together do not: its time is theirs.
  std::vector<double> rows;
  for (int call = 0; call < 32; ++call)
    rows.push_back(call % 4 == 0 ? 7 : 1);
  EXPECT_DOUBLE_EQ(typical(rows), 2.5);
  rows[1] = 1000;
  EXPECT_DOUBLE_EQ(typical(rows), 2.5 + 7.0 / 32);
}

TEST(SequentialTest, NeedsEightWinsAndTwoMoreOrSoForEachLoss) {
  SequentialTest test;
  for (int pair = 0; pair < 7; ++pair)
    test.add(1.1, 1);
  EXPECT_EQ(test.decision(), Decision::open);
  test.add(1, 1.1);
  test.add(1.1, 1);
  EXPECT_EQ(test.decision(), Decision::open);
  test.add(1.1, 1);
  EXPECT_EQ(test.decision(), Decision::surely_faster);
}

TEST(SequentialTest, NeedsFourWinsThatAreLarge) {
  SequentialTest test;
  for (int pair = 0; pair < 3; ++pair)
    test.add(1.3, 1);
  EXPECT_EQ(test.decision(), Decision::open);
  SequentialTest other = test;
  test.add(1.3, 1);
  EXPECT_EQ(test.decision(), Decision::surely_faster);
  other.add(1.2, 1);
  EXPECT_EQ(other.decision(), Decision::open);
}

TEST(SequentialTest, NeedsTwoWinsThatAreVeryLarge) {
  SequentialTest test;
  test.add(3.1, 1);
  EXPECT_EQ(test.decision(), Decision::open);
  SequentialTest other = test;
  test.add(3.1, 1);
  EXPECT_EQ(test.decision(), Decision::surely_faster);
  other.add(2.9, 1);
  EXPECT_EQ(other.decision(), Decision::open);
}

// Equal ones that are measured badly: each pair's ratio is off by that much.
TEST(SequentialTest, NoiseAloneIsSeldomCalledFaster) {
  std::mt19937 random(11);
  std::normal_distribution<double> noise(0, 0.2);
  constexpr int comparisons = 4000;
  int faster = 0;
  for (int each = 0; each < comparisons; ++each) {
    SequentialTest test;
    while (test.decision() == Decision::open)
      test.add(std::exp(noise(random)), 1);
    faster += test.decision() == Decision::surely_faster ? 1 : 0;
  }
  EXPECT_LE(faster, 0.06 * comparisons);
}

TEST(SequentialTest, FourLossesEndIt) {
  SequentialTest test;
  for (int pair = 0; pair < 3; ++pair) {
    test.add(1, 1.1);
    EXPECT_EQ(test.decision(), Decision::open);
  }
  test.add(1, 1.1);
  EXPECT_EQ(test.decision(), Decision::surely_not);
}

// Of pairs that the candidate wins with that probability.
double share_called_faster(double probability) {
  std::mt19937 random(7);
  std::bernoulli_distribution wins(probability);
  constexpr int comparisons = 4000;
  int faster = 0;
  for (int each = 0; each < comparisons; ++each) {
    SequentialTest test;
    while (test.decision() == Decision::open)
      wins(random) ? test.add(1.2, 1) : test.add(1, 1.2);
    faster += test.decision() == Decision::surely_faster ? 1 : 0;
  }
  return static_cast<double>(faster) / comparisons;
}

TEST(SequentialTest, ErrsAsSeldomAsItSays) {
  EXPECT_LE(share_called_faster(0.5), 0.05);
  EXPECT_LE(share_called_faster(0.3), 0.002);
  EXPECT_GE(share_called_faster(0.75), 0.88);
  EXPECT_GE(share_called_faster(0.9), 0.98);
}

TEST(SequentialTest, AGainTooSmallIsNone) {
  SequentialTest test;
  for (int pair = 0; pair < 8; ++pair)
    test.add(1.01, 1);
  EXPECT_EQ(test.decision(), Decision::surely_not);
}

TEST(SequentialTest, OnePairTellsOfWhatIsFarOff) {
  SequentialTest test;
  test.add(1, 2);
  EXPECT_EQ(test.decision(), Decision::surely_not);
  EXPECT_TRUE(test.is_far_slower());
  test.add(1.1, 1);
  EXPECT_FALSE(test.is_far_slower()) << "it has won a pair";
}

TEST(Rounds, RoundsOfSeveralRunsDecideTogether) {
  std::vector<double> ratios{1.1, 2.2, 1.2, 1.9, 1.05};
  EXPECT_EQ(decide_rounds(ratios), Decision::open);
  ratios.push_back(1.2);
  EXPECT_EQ(decide_rounds(ratios), Decision::surely_faster);
  ratios.push_back(0.9);
  EXPECT_EQ(decide_rounds(ratios), Decision::open) << "a loss has to be outweighed";
  ratios.insert(ratios.end(), 2, 1.3);
  EXPECT_EQ(decide_rounds(ratios), Decision::surely_faster);
  EXPECT_EQ(decide_rounds(std::vector<double>(6, 1.01)), Decision::surely_not) << "too little to be worth it";
  EXPECT_EQ(decide_rounds(std::vector{1.4, 0.9, 0.9, 0.9, 0.9}), Decision::surely_not);
  EXPECT_EQ(decide_rounds(std::vector<double>(15, 1.0)), Decision::surely_not);
}

TEST(Rounds, FewRoundsThatHardlyDifferDecide) {
  EXPECT_EQ(decide_rounds(std::vector{1.6, 1.5}), Decision::open);
  EXPECT_EQ(decide_rounds(std::vector{1.6, 1.5, 1.7}), Decision::surely_faster);
  EXPECT_EQ(decide_rounds(std::vector{1.1, 1.9, 1.3}), Decision::open);
  EXPECT_EQ(decide_rounds(std::vector{1.3, 1.6, 1.4, 1.5}), Decision::surely_faster);
  EXPECT_EQ(decide_rounds(std::vector{0.6, 0.5, 0.55}), Decision::surely_not);
  EXPECT_EQ(decide_rounds(std::vector{1.01, 1.01, 1.01}), Decision::open);
}

TEST(Rounds, ChanceAloneIsTakenForAGainOnceInTwentyTimes) {
  std::mt19937 random(4);
  for (const double spread : {0.02, 0.2, 0.6}) {
    std::normal_distribution<double> noise(0, spread);
    int taken = 0;
    for (int trial = 0; trial < 4000; ++trial) {
      std::vector<double> ratios;
      while (decide_rounds(ratios) == Decision::open)
        ratios.push_back(std::exp(noise(random)));
      taken += decide_rounds(ratios) == Decision::surely_faster ? 1 : 0;
    }
    EXPECT_LT(taken, 4000 / 14) << "equals differ by chance, spread " << spread;
  }
}

TEST(Rounds, DecideAtTheLatestAfterSoManyRounds) {
  std::mt19937 random(3);
  for (int round = 0; round < 1000; ++round) {
    std::vector<double> ratios;
    while (decide_rounds(ratios) == Decision::open)
      ratios.push_back(random() % 4 == 0 ? 0.9 : 1.3);
    EXPECT_LE(std::ssize(ratios), rounds_max());
  }
}

// Whatever the scale is, and whoever is called the candidate.
TEST(Minima, OneOfTwoIsSurelyFasterOnlyByTheMargin) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> logarithms(-12, 3);
  for (int round = 0; round < 1000; ++round) {
    const double seconds = std::exp(logarithms(random));
    const double other = seconds * std::exp(std::normal_distribution<double>(0, 0.05)(random));
    const bool by_margin = seconds / other > Limits::gain;
    EXPECT_EQ(decide_minima(seconds, other) == Decision::surely_faster, by_margin) << seconds << " " << other;
    EXPECT_FALSE(decide_minima(seconds, other) == Decision::surely_faster &&
                 decide_minima(other, seconds) == Decision::surely_faster);
    EXPECT_NE(decide_minima(seconds, seconds), Decision::surely_faster);
  }
}

// A change that pays is not taken back for what it cost, and more hysteresis makes none pay that did not.
TEST(Hysteresis, ChoicesDoNotFlutter) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> any(0, 1);
  int paid = 0;
  for (int round = 0; round < 1000; ++round) {
    const Change there{any(random), any(random), any(random) / 2};
    const Change back{there.after_seconds, there.before_seconds, any(random) / 2};
    paid += pays(there) ? 1 : 0;
    EXPECT_FALSE(pays(there) && pays(back));
    EXPECT_TRUE(pays(there, 1) || !pays(there, 2));
    EXPECT_TRUE(pays(there, 0) || !pays(there));
  }
  EXPECT_GT(paid, 100);
  EXPECT_FALSE(pays({})) << "nothing is gained";
}

TEST(Median, IsInTheMiddleOfTheSorted) {
  std::mt19937 random(7);
  EXPECT_EQ(median(std::vector<double>{}), 0);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> values(1 + random() % 12);
    for (double& value : values)
      value = static_cast<double>(random() % 20);
    const double middle = median(values);
    const auto below = std::ranges::count_if(values, [&](double value) { return value < middle; });
    const auto above = std::ranges::count_if(values, [&](double value) { return value > middle; });
    EXPECT_LE(2 * below, std::ssize(values));
    EXPECT_LE(2 * above, std::ssize(values));
    std::ranges::shuffle(values, random);
    EXPECT_EQ(median(values), middle);
  }
}

} // namespace
} // namespace thalweg::evidence
