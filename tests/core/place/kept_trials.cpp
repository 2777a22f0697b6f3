// SPDX-License-Identifier: BSD-3-Clause
#include "place/kept_trials.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace thalweg::place {
namespace {

std::vector<KeptTrial> random_trials(std::mt19937& random) {
  std::vector<KeptTrial> trials(random() % 5);
  for (KeptTrial& trial : trials) {
    trial.key = random();
    trial.verdict = static_cast<TrialVerdict>(random() % 3);
    trial.saved_s = static_cast<double>(random() % 100) / 8 - 5;
    trial.ratios.resize(random() % 16);
    for (double& ratio : trial.ratios)
      ratio = static_cast<double>(random() % 1000) / 300;
    trial.slot_of.resize(random() % 9 + 1);
    std::iota(trial.slot_of.begin(), trial.slot_of.end(), 0);
    std::ranges::shuffle(trial.slot_of, random);
  }
  return trials;
}

TEST(KeptTrials, AreReadAsTheyWereWritten) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::vector<KeptTrial> trials = random_trials(random);
    EXPECT_EQ(parse_trials(to_text(trials)), trials);
  }
}

TEST(KeptTrials, DamagedLinesAreLeftOut) {
  const std::string whole = "0f open 0.5 2 1.5 0.9 0 1\n";
  EXPECT_EQ(parse_trials(whole).size(), 1);
  for (const char* line : {"", "x open 0 0 0 1", "0f opened 0 0 0 1", "0f go 0 3 1 1 0 1", "0f go 0 -1 0 1",
                           "0f go 0 0", "0f go 0 1 1 0 0", "0f go 0 0 0 2", "0f go 0 0 0 1 x",
                           "0f go nan 0 0 1", "0f go 0 1 -2 0 1", "0f go 0 99999999 0 1"})
    EXPECT_EQ(parse_trials(line + std::string("\n") + whole).size(), 1) << line;
  std::mt19937 random(2);
  for (int round = 0; round < 3000; ++round) {
    std::string text = to_text(random_trials(random)) + whole;
    for (int change = 0; change < 4; ++change)
      text[random() % text.size()] = static_cast<char>(random());
    for (const KeptTrial& trial : parse_trials(text)) {
      EXPECT_LE(wins_of(trial.ratios), std::ssize(trial.ratios));
      EXPECT_LT(std::ranges::max(trial.slot_of), std::ssize(trial.slot_of));
    }
  }
}

TEST(KeptTrials, TheLastOfAKeyIsFound) {
  std::vector<KeptTrial> trials;
  for (std::uint64_t key = 0; key < 200; ++key)
    remember(trials, {.key = key, .slot_of = {0, 1}});
  remember(trials, {.key = 199, .verdict = TrialVerdict::go, .ratios = {1.5}, .slot_of = {1, 0}});
  EXPECT_EQ(find_trial(trials, 199, 2)->verdict, TrialVerdict::go);
  EXPECT_FALSE(find_trial(trials, 199, 3));
  EXPECT_FALSE(find_trial(trials, 0, 2));
  EXPECT_TRUE(find_trial(trials, 198, 2));
}

TEST(KeptTrials, ASearchThatFoundNothingIsNoTrial) {
  const KeptTrial nothing = nothing_found({0, 1, 2});
  EXPECT_TRUE(found_nothing(nothing));
  const std::vector<KeptTrial> read = parse_trials(to_text({nothing}));
  ASSERT_EQ(read.size(), 1);
  EXPECT_TRUE(found_nothing(read.front()));
  EXPECT_FALSE(found_nothing({.verdict = TrialVerdict::stay, .ratios = {0.9}, .slot_of = {1, 0}}));
  EXPECT_FALSE(found_nothing({.verdict = TrialVerdict::open, .slot_of = {1, 0}}));
}

TEST(KeptTrials, RoundsOfSeveralRunsDecideTogether) {
  std::vector<double> ratios{1.1, 2.2, 1.2, 1.9, 1.05};
  EXPECT_EQ(verdict_of(ratios), TrialVerdict::open);
  ratios.push_back(1.2);
  EXPECT_EQ(verdict_of(ratios), TrialVerdict::go);
  ratios.push_back(0.9);
  EXPECT_EQ(verdict_of(ratios), TrialVerdict::open) << "a loss has to be outweighed";
  ratios.insert(ratios.end(), 2, 1.3);
  EXPECT_EQ(verdict_of(ratios), TrialVerdict::go);
  EXPECT_EQ(verdict_of(std::vector<double>(6, 1.01)), TrialVerdict::stay) << "too little to be worth it";
  EXPECT_EQ(verdict_of({1.4, 0.9, 0.9, 0.9, 0.9}), TrialVerdict::stay);
  EXPECT_EQ(verdict_of(std::vector<double>(15, 1.0)), TrialVerdict::stay);
}

TEST(KeptTrials, FewRoundsThatHardlyDifferDecide) {
  EXPECT_EQ(verdict_of({1.6, 1.5}), TrialVerdict::open);
  EXPECT_EQ(verdict_of({1.6, 1.5, 1.7}), TrialVerdict::go);
  EXPECT_EQ(verdict_of({1.1, 1.9, 1.3}), TrialVerdict::open);
  EXPECT_EQ(verdict_of({1.3, 1.6, 1.4, 1.5}), TrialVerdict::go);
  EXPECT_EQ(verdict_of({0.6, 0.5, 0.55}), TrialVerdict::stay);
  EXPECT_EQ(verdict_of({1.01, 1.01, 1.01}), TrialVerdict::open);
}

TEST(KeptTrials, ChanceAlonePlacesRanksOnceInTwentyTimes) {
  std::mt19937 random(4);
  for (const double spread : {0.02, 0.2, 0.6}) {
    std::normal_distribution<double> noise(0, spread);
    int placed = 0;
    for (int trial = 0; trial < 4000; ++trial) {
      std::vector<double> ratios;
      while (verdict_of(ratios) == TrialVerdict::open)
        ratios.push_back(std::exp(noise(random)));
      placed += verdict_of(ratios) == TrialVerdict::go ? 1 : 0;
    }
    EXPECT_LT(placed, 4000 / 14) << "equal numberings differ by chance, spread " << spread;
  }
}

TEST(KeptTrials, DecideAtTheLatestAfterSoManyRounds) {
  std::mt19937 random(3);
  for (int round = 0; round < 1000; ++round) {
    std::vector<double> ratios;
    while (verdict_of(ratios) == TrialVerdict::open)
      ratios.push_back(random() % 4 == 0 ? 0.9 : 1.3);
    EXPECT_LE(std::ssize(ratios), trial_rounds_max());
  }
}

TEST(KeptTrials, KeysTellPatternsMachinesAndSlotsApart) {
  const machine::Allocation ring{topology::parse_interconnect("ring:4"), {0, 1, 2, 3}};
  const machine::Allocation turned{ring.interconnect, {1, 0, 2, 3}};
  const machine::Allocation torus{topology::parse_interconnect("torus:2x2"), {0, 1, 2, 3}};
  const std::uint64_t key = trial_key("pattern", ring);
  EXPECT_EQ(key, trial_key("pattern", ring));
  EXPECT_NE(key, trial_key("other", ring));
  EXPECT_NE(key, trial_key("pattern", turned));
  EXPECT_NE(key, trial_key("pattern", torus));
  EXPECT_NE(key, trial_key("pattern", ring, {0, 2, 1, 3}));
}

} // namespace
} // namespace thalweg::place
