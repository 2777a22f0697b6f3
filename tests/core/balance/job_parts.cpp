// SPDX-License-Identifier: BSD-3-Clause

// What balancing in a job is made of, without a job: reports, the verdict, orders, units, cuts.

#include "balance/chooser.hpp"
#include "balance/flow.hpp"
#include "balance/line.hpp"
#include "balance/report.hpp"
#include "base/error.hpp"
#include "cases.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace thalweg::balancing {
namespace {

Report report(Tasks tasks, double speed = 1) {
  return {.tasks = tasks, .speed = speed, .bytes = static_cast<double>(tasks) * 1000, .settings = 7};
}

Summary summary_of_all(const std::vector<Report>& reports) {
  Summary all;
  for (std::size_t rank = 0; rank < reports.size(); ++rank)
    all = combined(all, summary_of(reports[rank], static_cast<Rank>(rank)));
  return all;
}

TEST(Reports, CombineInAnyGrouping) {
  std::mt19937 random(3);
  for (int round = 0; round < cases(300); ++round) {
    std::vector<Report> reports;
    for (unsigned i = 0; i < 1 + random() % 9; ++i)
      reports.push_back({.tasks = static_cast<Tasks>(random() % 50),
                         .speed = static_cast<double>(1 + random() % 3),
                         .settings = random() % 8 == 0 ? 3U : 7U,
                         .fault = random() % 8 == 0 ? Fault::weight : Fault::none});
    const Summary expected = summary_of_all(reports);
    std::vector<Summary> parts;
    for (std::size_t rank = 0; rank < reports.size(); ++rank)
      parts.push_back(summary_of(reports[rank], static_cast<Rank>(rank)));
    while (parts.size() > 1) {
      const std::size_t at = random() % (parts.size() - 1);
      parts[at] = combined(parts[at], parts[at + 1]);
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    EXPECT_EQ(parts[0].tasks, expected.tasks);
    EXPECT_EQ(parts[0].ranks, expected.ranks);
    EXPECT_EQ(parts[0].culprit, expected.culprit);
    EXPECT_EQ(parts[0].settings, expected.settings);
    EXPECT_EQ(parts[0].slowest.seconds(), expected.slowest.seconds());
    EXPECT_EQ(parts[0].fastest.seconds(), expected.fastest.seconds());
    EXPECT_EQ(parts[0].are_alike(), expected.are_alike());
  }
}

std::string refusal(std::vector<Report> reports) {
  try {
    must_be_right(summary_of_all(reports));
  } catch (const Error& error) {
    return error.problem();
  }
  return "";
}

TEST(Reports, NameTheFirstWhoIsWrong) {
  EXPECT_EQ(refusal({report(1), report(2)}), "");
  Report wrong = report(3);
  wrong.fault = Fault::speed;
  EXPECT_EQ(refusal({report(1), wrong, wrong}), "rank 1 has a speed that is below 0 or no finite number");
  wrong = report(3);
  wrong.settings = 8;
  EXPECT_NE(refusal({report(1), report(1), wrong}).find("different options"), std::string::npos);
  EXPECT_NE(refusal({report(tasks_max), report(1)}).find("over 2305843009213693952"), std::string::npos);
  EXPECT_NE(refusal({report(std::numeric_limits<Tasks>::max())}).find("over"), std::string::npos);
}

Verdict verdict(const std::vector<Report>& reports, const Terms& terms) {
  return verdict_of(summary_of_all(reports), terms, machine::default_machine().at(machine::Level::network));
}

TEST(Verdict, KnowsTheSlowest) {
  EXPECT_DOUBLE_EQ(verdict({report(10), report(20), report(30)}, {}).imbalance, 1.5);
  EXPECT_DOUBLE_EQ(verdict({report(10, 1), report(20, 2), report(30, 3)}, {}).imbalance, 1);
  EXPECT_DOUBLE_EQ(verdict({report(30, 1), report(30, 5)}, {}).imbalance, 3);
  EXPECT_TRUE(verdict({report(10), report(20)}, {.threshold = 0.3}).is_worth);
  EXPECT_FALSE(verdict({report(10), report(20)}, {.threshold = 0.4}).is_worth);
  EXPECT_FALSE(verdict({report(20), report(20)}, {}).is_worth);
  EXPECT_TRUE(verdict({report(0), report(0)}, {}).imbalance == 1);
}

TEST(Verdict, ComparesTheGainWithWhatExchangesHaveTaken) {
  std::vector<Report> reports{report(10), report(30)};
  reports[0].load_seconds = 1e-3;
  const Verdict first = verdict(reports, {});
  EXPECT_TRUE(first.is_worth);
  EXPECT_DOUBLE_EQ(first.gain_seconds, 10e-3);
  EXPECT_DOUBLE_EQ(first.exchange_seconds, first.predicted_seconds);
  EXPECT_GT(first.predicted_seconds, 0);
  EXPECT_LT(first.predicted_seconds, 10e-3);
  EXPECT_DOUBLE_EQ(verdict(reports, {.steps = 5}).gain_seconds, 50e-3);
  reports[1].cost_factor = first.gain_seconds / first.predicted_seconds;
  EXPECT_FALSE(verdict(reports, {}).is_worth); // as 1.5 times as much has to be saved
  EXPECT_TRUE(verdict(reports, {.steps = 2}).is_worth);
  EXPECT_TRUE(verdict(reports, {.hysteresis = 0.5}).is_worth);
  reports[1].cost_factor = 1;
  EXPECT_TRUE(verdict(reports, {.min_gain_seconds = 9e-3}).is_worth);
  EXPECT_FALSE(verdict(reports, {.min_gain_seconds = 11e-3}).is_worth);
  EXPECT_TRUE(verdict(reports, {.steps = 2, .min_gain_seconds = 11e-3}).is_worth);
  reports[0].load_seconds = 0; // so what would be gained is not known
  EXPECT_TRUE(verdict(reports, {.min_gain_seconds = 11e-3}).is_worth);
}

TEST(NearOrder, PutsNodesAndSocketsTogether) {
  using Row = std::vector<std::int32_t>;
  EXPECT_EQ(near_order(Row{0, 1, 0, 1, 2}, {}), (std::vector<Rank>{0, 2, 1, 3, 4}));
  EXPECT_EQ(near_order(Row{0, 0, 0, 0}, Row{0, 1, 0, 1}), (std::vector<Rank>{0, 2, 1, 3}));
  EXPECT_EQ(near_order(Row{0, 0, 1, 1}, {}), (std::vector<Rank>{0, 1, 2, 3}));
  EXPECT_TRUE(is_order(std::vector<Rank>{2, 0, 1}));
  EXPECT_FALSE(is_order(std::vector<Rank>{2, 0, 2}));
  EXPECT_FALSE(is_order(std::vector<Rank>{3, 0, 1}));
  EXPECT_FALSE(is_order(std::vector<Rank>{-1, 0, 1}));
}

/// What leaves and stays between nodes in a flow of ranks that were dealt out to nodes one by one.
TEST(NearOrder, KeepsTransfersInsideOfNodes) {
  constexpr std::int32_t nodes = 4;
  constexpr std::size_t ranks = 32;
  std::vector<std::int32_t> node_of(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    node_of[rank] = static_cast<std::int32_t>(rank) % nodes;
  std::mt19937 random(4);
  Tasks near = 0;
  Tasks far = 0;
  for (int round = 0; round < 50; ++round) {
    Problem problem{.loads = std::vector<Tasks>(ranks), .order = near_order(node_of, {})};
    for (Tasks& load : problem.loads)
      load = 20 + static_cast<Tasks>(random() % 9);
    const auto between_nodes = [&](const Flow& flow) {
      Tasks tasks = 0;
      for (const Transfer& transfer : flow)
        if (transfer.from % nodes != transfer.to % nodes)
          tasks += transfer.tasks;
      return tasks;
    };
    near += between_nodes(flow_of(Scheme::sweep, problem));
    problem.order.clear();
    far += between_nodes(flow_of(Scheme::sweep, checked(problem)));
  }
  EXPECT_LT(3 * near, 2 * far) << near << " and " << far;
}

TEST(Units, AddUpToTheWhole) {
  std::mt19937 random(5);
  for (int round = 0; round < cases(200); ++round) {
    std::vector<double> parts(1 + random() % 1000);
    double whole = 0;
    for (double& part : parts)
      whole += part = std::exponential_distribution<double>(1e-3)(random);
    Tasks sum = 0;
    for (const double part : parts)
      sum += units_of(part, whole, weight_units);
    EXPECT_LE(std::abs(sum - weight_units), static_cast<Tasks>(parts.size()));
  }
  EXPECT_EQ(units_of(0, 0, weight_units), 0);
}

TEST(TaskCuts, FromTheEndAreThoseOfTheReversedRow) {
  std::mt19937 random(6);
  for (int round = 0; round < cases(500); ++round) {
    std::vector<double> weights(random() % 30);
    std::vector<Tasks> reversed;
    for (double& weight : weights)
      weight = static_cast<double>(2 * (random() % 20)); // even, as whole numbers' middles are rounded
    for (auto weight = weights.rbegin(); weight != weights.rend(); ++weight)
      reversed.push_back(static_cast<Tasks>(*weight));
    Tasks left = std::accumulate(reversed.begin(), reversed.end(), Tasks{0});
    std::vector<double> amounts;
    std::vector<Tasks> whole;
    while (left > 0 && random() % 4 != 0) {
      whole.push_back(1 + static_cast<Tasks>(random()) % left);
      amounts.push_back(static_cast<double>(whole.back()));
      left -= whole.back();
    }
    const auto cuts = task_cuts_from_end(weights, amounts);
    const auto expected = task_cuts(reversed, whole);
    ASSERT_EQ(cuts.size(), expected.size());
    for (std::size_t i = 0; i < cuts.size(); ++i)
      EXPECT_EQ(cuts[i], static_cast<std::int64_t>(weights.size()) - expected[i]);
  }
}

} // namespace
} // namespace thalweg::balancing
