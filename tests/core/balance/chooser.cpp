// SPDX-License-Identifier: BSD-3-Clause
#include "balance/chooser.hpp"

#include "balance/flow.hpp"
#include "cases.hpp"

#include <gtest/gtest.h>

namespace thalweg::balancing {
namespace {

Costs costs(double task_seconds, std::int64_t task_bytes) {
  Costs result;
  result.messages = machine::default_machine().at(machine::Level::network);
  result.task_bytes = task_bytes;
  result.task_seconds = task_seconds;
  return result;
}

Scheme choice(const Problem& problem, const Costs& costs, Scheme incumbent = Scheme::none) {
  const std::vector<Candidate> all = candidates(problem, costs, {});
  return all[chosen(all, incumbent, costs.hysteresis)].scheme;
}

TEST(Chooser, MovesWhatIsWorthIt) {
  const Problem problem = checked({{100, 0, 0, 0}, {}});
  EXPECT_EQ(choice(problem, costs(1.0, 1000)), Scheme::sweep);
  EXPECT_EQ(choice(problem, costs(1e-12, 1000)), Scheme::none);
  EXPECT_EQ(choice(problem, costs(1e-6, 100'000'000)), Scheme::none);
}

TEST(Chooser, LeavesEvenLoadsAlone) {
  EXPECT_EQ(choice(checked({{3, 3, 3}, {}}), costs(1.0, 1)), Scheme::none);
  EXPECT_EQ(choice(checked({{0, 0, 1}, {}}), costs(1.0, 1)), Scheme::none);
}

TEST(Chooser, KeepsWhatIsInUseUnlessAnotherSurelyWins) {
  for (int seed = 0; seed < cases(300); ++seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    const Problem problem = random_problem(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(problem));
    const Costs given = costs(1e-6, 1000);
    const std::vector<Candidate> all = candidates(problem, given, {});
    for (const Candidate& incumbent : all) {
      const Candidate& winner = all[chosen(all, incumbent.scheme, given.hysteresis)];
      if (winner.scheme != incumbent.scheme) {
        EXPECT_LT(given.hysteresis * winner.exchange_seconds + winner.work_seconds, incumbent.seconds());
      }
      EXPECT_EQ(choice(problem, given, winner.scheme), winner.scheme) << "it flutters";
    }
  }
}

TEST(Chooser, PredictsNothingForNothing) {
  EXPECT_EQ(exchange_seconds(3, {}, 0, costs(1, 1)), 0);
  EXPECT_EQ(work_seconds(std::vector<Tasks>{0, 0}, {}, costs(1, 1)), 0);
}

TEST(Chooser, CountsMessagesBytesAndHops) {
  const Costs small = costs(1, 1);
  Costs far = small;
  far.links = 2;
  const Flow one{{0, 1, 1000}};
  const Flow two{{0, 1, 500}, {0, 2, 500}};
  EXPECT_LT(exchange_seconds(3, one, 0, small), exchange_seconds(3, two, 0, small));
  EXPECT_LT(exchange_seconds(3, one, 0, small), exchange_seconds(3, one, 0, costs(1, 1000)));
  EXPECT_LT(exchange_seconds(3, one, 0, far), exchange_seconds(3, one, 1'000'000'000, far));
}

TEST(Chooser, TheSlowestRankCounts) {
  const std::vector<Tasks> loads{10, 20};
  EXPECT_DOUBLE_EQ(work_seconds(loads, {}, costs(2, 1)), 40);
  EXPECT_DOUBLE_EQ(work_seconds(loads, std::vector<Tasks>{1, 3}, costs(2, 1)), 40);
  EXPECT_DOUBLE_EQ(work_seconds(loads, std::vector<Tasks>{1, 2}, costs(2, 1)), 30);
}

TEST(TaskCuts, AMessageIsOffByTheHeaviestTaskAtMost) {
  for (int seed = 0; seed < cases(2000); ++seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    SCOPED_TRACE(seed);
    std::vector<Tasks> weights(random() % 20);
    for (Tasks& weight : weights)
      weight = static_cast<Tasks>(random() % (seed % 3 == 0 ? 3 : 100));
    Tasks left = std::reduce(weights.begin(), weights.end(), Tasks{0});
    std::vector<Tasks> amounts(random() % 5);
    for (Tasks& amount : amounts) {
      amount = std::uniform_int_distribution<Tasks>(0, left)(random);
      left -= amount;
    }
    const std::vector<std::int64_t> cuts = task_cuts(weights, amounts);
    ASSERT_EQ(cuts.size(), amounts.size() + 1);
    EXPECT_TRUE(std::ranges::is_sorted(cuts));
    EXPECT_LE(cuts.back(), std::ssize(weights));
    const Tasks heaviest = weights.empty() ? 0 : std::ranges::max(weights);
    Tasks wanted = 0;
    for (std::size_t m = 0; m < amounts.size(); ++m) {
      const Tasks sent = std::reduce(weights.begin() + cuts[m], weights.begin() + cuts[m + 1], Tasks{0});
      EXPECT_LE(std::abs(sent - amounts[m]), heaviest);
      wanted += amounts[m];
      const Tasks sent_so_far = std::reduce(weights.begin(), weights.begin() + cuts[m + 1], Tasks{0});
      EXPECT_LE(std::abs(sent_so_far - wanted), (heaviest + 1) / 2);
    }
  }
}

TEST(TaskCuts, TasksOfWeightOneAreCounted) {
  EXPECT_EQ(task_cuts(std::vector<Tasks>(9, 1), std::vector<Tasks>{2, 0, 4}),
            (std::vector<std::int64_t>{0, 2, 2, 6}));
}

} // namespace
} // namespace thalweg::balancing
