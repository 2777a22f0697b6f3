// SPDX-License-Identifier: BSD-3-Clause
#include "place/kept_trials.hpp"

#include "base/random.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace thalweg::place {
namespace {

std::vector<KeptTrial> random_trials(std::mt19937& random) {
  std::vector<KeptTrial> trials(random() % 5);
  for (KeptTrial& trial : trials) {
    trial.key = random();
    trial.verdict = static_cast<evidence::Decision>(random() % 3);
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
      EXPECT_LE(evidence::wins(trial.ratios), std::ssize(trial.ratios));
      EXPECT_LT(std::ranges::max(trial.slot_of), std::ssize(trial.slot_of));
    }
  }
}

TEST(KeptTrials, TheLastOfAKeyIsFound) {
  std::vector<KeptTrial> trials;
  for (std::uint64_t key = 0; key < 200; ++key)
    remember(trials, {.key = key, .slot_of = {0, 1}});
  remember(trials,
           {.key = 199, .verdict = evidence::Decision::surely_faster, .ratios = {1.5}, .slot_of = {1, 0}});
  EXPECT_EQ(find_trial(trials, 199, 2)->verdict, evidence::Decision::surely_faster);
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
  EXPECT_FALSE(
      found_nothing({.verdict = evidence::Decision::surely_not, .ratios = {0.9}, .slot_of = {1, 0}}));
  EXPECT_FALSE(found_nothing({.verdict = evidence::Decision::open, .slot_of = {1, 0}}));
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
  EXPECT_EQ(key, ended_text_hash("0 1 2 3",
                                 ended_text_hash(ring.interconnect->name(), ended_text_hash("pattern"))));
}

} // namespace
} // namespace thalweg::place
