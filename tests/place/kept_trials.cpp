#include "place/kept_trials.hpp"

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
    trial.verdict = static_cast<TrialVerdict>(random() % 3);
    trial.rounds = static_cast<int>(random() % 16);
    trial.wins = static_cast<int>(random() % static_cast<unsigned>(trial.rounds + 1));
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
  const std::string whole = "0f open 3 1 0 1\n";
  EXPECT_EQ(parse_trials(whole).size(), 1);
  for (const char* line : {"", "x open 3 1 0 1", "0f opened 3 1 0 1", "0f go 1 3 0 1", "0f go 3 -1 0 1",
                           "0f go 3 1", "0f go 3 1 0 0", "0f go 3 1 0 2", "0f go 3 1 0 1 x"})
    EXPECT_EQ(parse_trials(line + std::string("\n") + whole).size(), 1) << line;
  std::mt19937 random(2);
  for (int round = 0; round < 3000; ++round) {
    std::string text = to_text(random_trials(random)) + whole;
    for (int change = 0; change < 4; ++change)
      text[random() % text.size()] = static_cast<char>(random());
    for (const KeptTrial& trial : parse_trials(text)) {
      EXPECT_LE(trial.wins, trial.rounds);
      EXPECT_LT(std::ranges::max(trial.slot_of), std::ssize(trial.slot_of));
    }
  }
}

TEST(KeptTrials, TheLastOfAKeyIsFound) {
  std::vector<KeptTrial> trials;
  for (std::uint64_t key = 0; key < 200; ++key)
    remember(trials, {.key = key, .slot_of = {0, 1}});
  remember(trials, {.key = 199, .verdict = TrialVerdict::go, .rounds = 6, .wins = 6, .slot_of = {1, 0}});
  EXPECT_EQ(find_trial(trials, 199, 2)->verdict, TrialVerdict::go);
  EXPECT_FALSE(find_trial(trials, 199, 3));
  EXPECT_FALSE(find_trial(trials, 0, 2));
  EXPECT_TRUE(find_trial(trials, 198, 2));
}

} // namespace
} // namespace thalweg::place
