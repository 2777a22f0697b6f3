// SPDX-License-Identifier: BSD-3-Clause
#include "tune/round_figures.hpp"

#include "tune/learner.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace thalweg::tune {
namespace {

constexpr Round round_of(std::uint32_t calls, std::uint32_t candidate_calls, std::uint32_t settling = 1) {
  return {Round::Kind::measure, calls, candidate_calls, settling};
}

std::vector<double> largest(std::vector<double> one, const std::vector<double>& other) {
  std::ranges::transform(one, other, one.begin(), [](double a, double b) { return std::max(a, b); });
  return one;
}

// Ranks complete their requests in any order, some never and some in another round.
TEST(RoundFigures, AgreeInAnyOrderOfCompletions) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const Round round = round_of(4 + random() % 8, random() % 2 == 0 ? 0 : 4 + random() % 8);
    const std::uint32_t calls = round.incumbent_calls + round.candidate_calls;
    std::vector<double> agreed;
    std::vector<double> expected(calls, 0);
    for (int rank = 0; rank < 3; ++rank) {
      RoundFigures figures;
      figures.open(round_of(3, 3));
      const std::uint32_t old = figures.generation();
      figures.open(round);
      std::vector<std::uint32_t> order;
      for (std::uint32_t call = 0; call < calls; ++call)
        order.push_back(figures.start(call * 1e-3 * (rank + 1)));
      std::ranges::shuffle(order, random);
      for (const std::uint32_t call : order) {
        const double seconds = 1e-6 * static_cast<double>(1 + random() % 1000);
        const bool is_lost = random() % 12 == 0;
        figures.ended(is_lost ? old : figures.generation(), call, seconds);
        expected[call] = std::max(expected[call], is_lost ? RoundFigures::unknown : seconds);
      }
      figures.ended(figures.generation(), calls, 1); // a start beyond the round
      agreed = rank == 0 ? figures.to_maximize() : largest(agreed, figures.to_maximize());
    }
    const std::optional<RoundTimes> times = times_of(round, agreed);
    for (std::uint32_t call = 0; call < calls; ++call)
      EXPECT_EQ(agreed[call], expected[call]);
    if (!times)
      continue;
    EXPECT_NEAR(times->periods.incumbent, 3e-3, 1e-9);
    ASSERT_EQ(times->seconds.size(), calls);
    for (std::uint32_t call = 0; call < calls; ++call) {
      EXPECT_TRUE(std::isfinite(times->seconds[call]));
      EXPECT_TRUE(times->seconds[call] == expected[call] || expected[call] == RoundFigures::unknown);
    }
  }
}

TEST(RoundFigures, TellNothingWhereFewAreKnown) {
  const Round round = round_of(6, 6);
  RoundFigures figures;
  figures.open(round);
  for (std::uint32_t call = 0; call < 12; ++call)
    figures.start(call);
  EXPECT_FALSE(times_of(round, figures.to_maximize()));
  for (const std::uint32_t call : {1U, 2U, 7U, 8U})
    figures.ended(figures.generation(), call, 1e-6);
  const std::optional<RoundTimes> times = times_of(round, figures.to_maximize());
  ASSERT_TRUE(times);
  EXPECT_EQ(times->seconds, std::vector<double>(12, 1e-6));
}

// Each call holds the program up for a microsecond less with the candidate.
bool is_taken(double period_of_candidate) {
  Learner learner({.budget = 1e9, .first_calls = 2, .calls_seen = 0, .patience = 1}, 0);
  const std::vector<PredictedCandidate> candidates{{"direct+thread", 1e-6}};
  for (int rounds = 0; rounds < 400 && learner.state() != Learner::State::settled; ++rounds) {
    const Round round = learner.next_round();
    if (round.kind == Round::Kind::order)
      learner.add_candidates(candidates, 1e-6);
    if (round.kind != Round::Kind::measure)
      continue;
    std::vector<double> seconds(round.incumbent_calls, learner.incumbent() == 0 ? 2e-6 : 1e-6);
    seconds.insert(seconds.end(), round.candidate_calls, learner.candidate() == 0 ? 2e-6 : 1e-6);
    const auto period = [&](std::size_t trial) { return trial == 0 ? 1e-3 : period_of_candidate; };
    learner.measured(seconds, 1e-7, false, {}, {period(learner.incumbent()), period(learner.candidate())});
  }
  return learner.incumbent() != 0;
}

TEST(RoundFigures, OfLongerPeriodsForbidWhatCostsComputation) {
  EXPECT_TRUE(is_taken(0.999e-3));
  EXPECT_TRUE(is_taken(1e-3));
  EXPECT_FALSE(is_taken(1.02e-3));
}

TEST(RoundFigures, MayBeMissingFromARound) {
  Learner learner({.budget = 1e9, .first_calls = 2, .calls_seen = 0}, 0);
  const Round counted = learner.next_round();
  const Round first = learner.next_round();
  learner.measured({}, 1e-7, false);
  const Round again = learner.next_round();
  EXPECT_EQ(counted.kind, Round::Kind::run);
  EXPECT_EQ(again.kind, Round::Kind::measure);
  EXPECT_EQ(again.incumbent_calls, first.incumbent_calls);
}

} // namespace
} // namespace thalweg::tune
