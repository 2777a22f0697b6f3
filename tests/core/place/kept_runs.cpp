// SPDX-License-Identifier: BSD-3-Clause
#include "place/kept_runs.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace thalweg::place {
namespace {

using evidence::Decision;

constexpr std::int64_t day_s = 86400;

std::vector<KeptRuns> random_runs(std::mt19937& random) {
  std::vector<KeptRuns> all(random() % 5);
  for (KeptRuns& runs : all) {
    runs.key = random();
    runs.verdict = static_cast<Decision>(random() % 3);
    runs.decided_s = static_cast<std::int64_t>(random());
    for (std::vector<double>* const seconds : {&runs.started, &runs.placed}) {
      seconds->resize(random() % 13);
      for (double& one : *seconds)
        one = static_cast<double>(random() % 1000 + 1) / 64;
    }
    runs.slot_of.resize(random() % 9 + 1);
    std::iota(runs.slot_of.begin(), runs.slot_of.end(), 0);
    std::ranges::shuffle(runs.slot_of, random);
  }
  return all;
}

TEST(KeptRuns, AreReadAsTheyWereWritten) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::vector<KeptRuns> all = random_runs(random);
    EXPECT_EQ(parse_runs(to_text(all)), all);
  }
}

TEST(KeptRuns, DamagedLinesAreLeftOut) {
  const std::string whole = "0f open 7 1 1.5 2 0.9 1 0 1\n";
  EXPECT_EQ(parse_runs(whole).size(), 1);
  for (const char* line :
       {"", "x open 7 0 0 0 1", "0f opened 7 0 0 0 1", "0f go 7 3 1 1 0 1", "0f go 7 0 -1 0 1", "0f go 7 0 0",
        "0f go 7 0 1 0 0 1", "0f go 7 0 0 0 2", "0f go 7 0 0 0 1 x", "0f go nan 0 0 0 1",
        "0f go 7 1 -2 0 0 1", "0f go 7 0 99999999 0 1"})
    EXPECT_EQ(parse_runs(line + std::string("\n") + whole).size(), 1) << line;
  std::mt19937 random(2);
  for (int round = 0; round < 3000; ++round) {
    std::string text = to_text(random_runs(random)) + whole;
    for (int change = 0; change < 4; ++change)
      text[random() % text.size()] = static_cast<char>(random());
    for (KeptRuns& runs : parse_runs(text)) {
      wants_placed(runs, 0);
      EXPECT_LT(std::ranges::max(runs.slot_of), std::ssize(runs.slot_of));
    }
  }
}

TEST(KeptRuns, AVerdictHoldsForAMonthAndIsThenFoundAnew) {
  KeptRuns runs{.started = {2}, .slot_of = {1, 0}};
  EXPECT_TRUE(wants_placed(runs, 0));
  while (runs.verdict == Decision::open)
    add_run(runs, true, 1, day_s);
  EXPECT_EQ(runs.verdict, Decision::surely_faster);
  const std::size_t decided_by = runs.placed.size();
  add_run(runs, true, 9, 2 * day_s); // one slow run later changes nothing
  EXPECT_TRUE(wants_placed(runs, 30 * day_s));
  EXPECT_EQ(runs.placed.size(), decided_by + 1);
  EXPECT_FALSE(wants_placed(runs, 40 * day_s)) << "the last run was slow, and now it counts again";
  EXPECT_EQ(runs.verdict, Decision::open);
  EXPECT_EQ(runs.placed.size(), 1);
}

TEST(KeptRuns, TheLatestAreKept) {
  KeptRuns runs{.slot_of = {0}};
  for (int run = 1; run <= 100; ++run)
    add_run(runs, false, run, 0);
  EXPECT_LE(runs.started.size(), 12);
  EXPECT_EQ(runs.started.back(), 100);
}

TEST(KeptRuns, TheLastOfAKeyIsFound) {
  std::vector<KeptRuns> all;
  for (std::uint64_t key = 0; key < 200; ++key)
    remember(all, {.key = key, .slot_of = {0, 1}});
  remember(all, {.key = 199, .decided_s = 5, .slot_of = {1, 0}});
  EXPECT_EQ(find_runs(all, 199, 2)->decided_s, 5);
  EXPECT_FALSE(find_runs(all, 199, 3));
  EXPECT_FALSE(find_runs(all, 0, 2));
}

} // namespace
} // namespace thalweg::place
