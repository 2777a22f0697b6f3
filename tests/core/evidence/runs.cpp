// SPDX-License-Identifier: BSD-3-Clause
#include "evidence/runs.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace thalweg::evidence {
namespace {

struct Story {
  std::vector<double> incumbent; ///< begins with the recorded run
  std::vector<double> candidate;
  Decision decision = Decision::open;

  std::size_t runs() const { return incumbent.size() + candidate.size(); }
};

/// A program that is run again and again until that is decided; `gain`: how many times as fast the candidate
/// is.
Story told(double gain, double noise, std::mt19937& random) {
  std::lognormal_distribution<double> spread(0, noise);
  Story story{.incumbent = {spread(random)}, .candidate = {}};
  while (story.decision == Decision::open && story.runs() < 100) {
    const bool is_candidate = candidate_is_next(story.incumbent, story.candidate);
    (is_candidate ? story.candidate : story.incumbent).push_back(spread(random) / (is_candidate ? gain : 1));
    story.decision = decide_runs(story.incumbent, story.candidate);
  }
  return story;
}

TEST(Runs, ALargeGainIsAdoptedByTheThirdRun) {
  std::mt19937 random(1);
  int adopted = 0;
  for (int round = 0; round < 1000; ++round) {
    std::lognormal_distribution<double> spread(0, 0.05);
    std::vector<double> incumbent{spread(random)};
    std::vector<double> candidate;
    for (int run = 2; run <= 3; ++run)
      if (candidate_is_next(incumbent, candidate))
        candidate.push_back(spread(random) / 1.4);
    adopted += candidate.size() == 2 && candidate_is_next(incumbent, candidate);
  }
  EXPECT_GT(adopted, 990);
}

TEST(Runs, EqualsAreSeldomTakenAndEnd) {
  std::mt19937 random(2);
  int taken = 0;
  for (int round = 0; round < 2000; ++round) {
    const Story story = told(1, 0.08, random);
    EXPECT_NE(story.decision, Decision::open);
    EXPECT_LE(story.runs(), RunLimits::runs_max);
    taken += story.decision == Decision::surely_faster;
  }
  EXPECT_LT(taken, 100);
}

TEST(Runs, WhatIsSlowerIsGivenUpAndSeldomRun) {
  std::mt19937 random(3);
  std::size_t slow_runs = 0;
  int wrong = 0;
  for (int round = 0; round < 1000; ++round) {
    const Story story = told(1 / 1.3, 0.05, random);
    wrong += story.decision != Decision::surely_not;
    slow_runs += story.candidate.size();
  }
  EXPECT_LT(wrong, 5);
  EXPECT_LT(slow_runs, 2500); // of 1000 programs: one or two runs of most, as one is never sure
}

TEST(Runs, GainsAreFoundWhereRunsDiffer) {
  std::mt19937 random(4);
  int taken = 0;
  for (int round = 0; round < 1000; ++round)
    taken += told(1.4, 0.1, random).decision == Decision::surely_faster;
  EXPECT_GT(taken, 950);
}

TEST(Runs, NothingIsDecidedWithoutBothSides) {
  const std::vector<double> one{1.0};
  EXPECT_EQ(decide_runs(one, {}), Decision::open);
  EXPECT_EQ(decide_runs({}, one), Decision::open);
  EXPECT_TRUE(candidate_is_next(one, {}));
  EXPECT_TRUE(candidate_is_next({}, {}));
  EXPECT_FALSE(candidate_is_next({}, one));
}

} // namespace
} // namespace thalweg::evidence
