// SPDX-License-Identifier: BSD-3-Clause
#include "tune/comparison.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace thalweg::tune {
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

TEST(Comparison, NeedsEightWinsAndTwoMoreOrSoForEachLoss) {
  Comparison comparison;
  for (int pair = 0; pair < 7; ++pair)
    comparison.add(1.1, 1);
  EXPECT_EQ(comparison.verdict(), ComparisonState::open);
  comparison.add(1, 1.1);
  comparison.add(1.1, 1);
  EXPECT_EQ(comparison.verdict(), ComparisonState::open);
  comparison.add(1.1, 1);
  EXPECT_EQ(comparison.verdict(), ComparisonState::faster);
}

TEST(Comparison, NeedsFourWinsThatAreLarge) {
  Comparison comparison;
  for (int pair = 0; pair < 3; ++pair)
    comparison.add(1.3, 1);
  EXPECT_EQ(comparison.verdict(), ComparisonState::open);
  Comparison other = comparison;
  comparison.add(1.3, 1);
  EXPECT_EQ(comparison.verdict(), ComparisonState::faster);
  other.add(1.2, 1);
  EXPECT_EQ(other.verdict(), ComparisonState::open);
}

TEST(Comparison, NeedsTwoWinsThatAreVeryLarge) {
  Comparison comparison;
  comparison.add(3.1, 1);
  EXPECT_EQ(comparison.verdict(), ComparisonState::open);
  Comparison other = comparison;
  comparison.add(3.1, 1);
  EXPECT_EQ(comparison.verdict(), ComparisonState::faster);
  other.add(2.9, 1);
  EXPECT_EQ(other.verdict(), ComparisonState::open);
}

// Equal ones that are measured badly: each pair's ratio is off by that much.
TEST(Comparison, NoiseAloneIsSeldomCalledFaster) {
  std::mt19937 random(11);
  std::normal_distribution<double> noise(0, 0.2);
  constexpr int comparisons = 4000;
  int faster = 0;
  for (int each = 0; each < comparisons; ++each) {
    Comparison comparison;
    while (comparison.verdict() == ComparisonState::open)
      comparison.add(std::exp(noise(random)), 1);
    faster += comparison.verdict() == ComparisonState::faster ? 1 : 0;
  }
  EXPECT_LE(faster, 0.06 * comparisons);
}

TEST(Comparison, FourLossesEndIt) {
  Comparison comparison;
  for (int pair = 0; pair < 3; ++pair) {
    comparison.add(1, 1.1);
    EXPECT_EQ(comparison.verdict(), ComparisonState::open);
  }
  comparison.add(1, 1.1);
  EXPECT_EQ(comparison.verdict(), ComparisonState::no_gain);
}

// Of pairs that the candidate wins with that probability.
double share_called_faster(double probability) {
  std::mt19937 random(7);
  std::bernoulli_distribution wins(probability);
  constexpr int comparisons = 4000;
  int faster = 0;
  for (int each = 0; each < comparisons; ++each) {
    Comparison comparison;
    while (comparison.verdict() == ComparisonState::open)
      wins(random) ? comparison.add(1.2, 1) : comparison.add(1, 1.2);
    faster += comparison.verdict() == ComparisonState::faster ? 1 : 0;
  }
  return static_cast<double>(faster) / comparisons;
}

TEST(Comparison, ErrsAsSeldomAsItSays) {
  EXPECT_LE(share_called_faster(0.5), 0.05);
  EXPECT_LE(share_called_faster(0.3), 0.002);
  EXPECT_GE(share_called_faster(0.75), 0.88);
  EXPECT_GE(share_called_faster(0.9), 0.98);
}

TEST(Comparison, AGainTooSmallIsNone) {
  Comparison comparison;
  for (int pair = 0; pair < 8; ++pair)
    comparison.add(1.01, 1);
  EXPECT_EQ(comparison.verdict(), ComparisonState::no_gain);
}

TEST(Comparison, OnePairTellsOfWhatIsFarOff) {
  Comparison comparison;
  comparison.add(1, 2);
  EXPECT_EQ(comparison.verdict(), ComparisonState::far_off);
}

} // namespace
} // namespace thalweg::tune
