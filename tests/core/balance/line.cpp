// SPDX-License-Identifier: BSD-3-Clause
#include "balance/line.hpp"

#include "cases.hpp"

#include <gtest/gtest.h>

namespace thalweg::balancing {
namespace {

/// The stretches that begin in [begin, end), and the last one before.
std::pair<Stretch, std::span<const Stretch>> cut(const std::vector<Stretch>& row, Tasks begin, Tasks end) {
  const auto first = std::ranges::lower_bound(row, begin, {}, &Stretch::begin);
  const auto last = std::ranges::lower_bound(row, end, {}, &Stretch::begin);
  return {first == row.begin() ? Stretch{} : *(first - 1), {first, last}};
}

Flow in_slices(Service service, const Line& line, const std::vector<Tasks>& borders) {
  Flow flow;
  for (std::size_t i = 1; i < borders.size(); ++i) {
    const auto [surplus_before, surpluses] = cut(line.surpluses, borders[i - 1], borders[i]);
    const auto [deficit_before, deficits] = cut(line.deficits, borders[i - 1], borders[i]);
    const Flow part = served(service, {surplus_before, deficit_before, surpluses, deficits});
    flow.insert(flow.end(), part.begin(), part.end());
  }
  return flow;
}

TEST(Line, CutIntoAnySlicesGivesTheSameFlow) {
  for (int seed = 0; seed < cases(2000); ++seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    const Problem problem = random_problem(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(problem));
    const Line line =
        line_of(problem.loads, targets(problem.loads, problem.order, problem.spread), problem.order);
    const Tasks length = line.surpluses.empty() ? 0 : line.surpluses.back().end();
    EXPECT_EQ(length, line.deficits.empty() ? 0 : line.deficits.back().end());
    std::vector<Tasks> borders{0, length};
    for (int i = 0; i < 5; ++i)
      borders.push_back(std::uniform_int_distribution<Tasks>(0, length)(random));
    std::ranges::sort(borders);
    for (const Service service : {Service::sweep, Service::alias})
      ASSERT_EQ(in_slices(service, line, borders), served(service, line.slice()));
  }
}

/// Ranks A 0, B 1, C 2 with too much; p 3, q 4, r 5, s 6 with too little, as in the header's picture.
Flow served_in_picture(Service service) {
  const std::vector<Tasks> loads{21, 15, 24, 7, 1, 5, 3};
  const std::vector<Tasks> wanted{10, 10, 10, 10, 10, 10, 16};
  return served(service, line_of(loads, wanted, std::vector<Rank>{0, 1, 2, 3, 4, 5, 6}).slice());
}

TEST(Line, SweepServesWhoeverLiesBelow) {
  EXPECT_EQ(served_in_picture(Service::sweep),
            (Flow{{0, 3, 3}, {0, 4, 8}, {1, 4, 1}, {1, 5, 4}, {2, 5, 1}, {2, 6, 13}}));
}

TEST(Line, AliasServesAsAWhole) {
  EXPECT_EQ(served_in_picture(Service::alias),
            (Flow{{0, 3, 3}, {0, 4, 9}, {1, 0, 1}, {1, 5, 5}, {2, 1, 1}, {2, 6, 13}}));
}

TEST(Line, ARankThatIsAskedForMoreThanItHasIsNotReady) {
  const std::vector<Tasks> loads{3, 12, 16};
  const Line line = line_of(loads, std::vector<Tasks>{1, 10, 20}, std::vector<Rank>{0, 1, 2});
  EXPECT_TRUE(is_ready(loads, served(Service::sweep, line.slice())));
  EXPECT_FALSE(is_ready(loads, served(Service::alias, line.slice())));
}

TEST(Targets, ARankKnowsItsOwnFromPrefixSums) {
  for (int seed = 0; seed < cases(500); ++seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    const Problem problem = random_problem(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(problem));
    const Tasks tasks = std::reduce(problem.loads.begin(), problem.loads.end(), Tasks{0});
    const std::vector<Tasks> wanted = targets(problem.loads, problem.order, problem.spread);
    const Tasks share = (tasks + problem.ranks() - 1) / problem.ranks();
    EXPECT_EQ(std::reduce(wanted.begin(), wanted.end(), Tasks{0}), tasks);
    for (std::size_t rank = 0; rank < wanted.size(); ++rank) {
      EXPECT_LE(wanted[rank], share);
      EXPECT_GE(wanted[rank], problem.spread == Spread::even ? tasks / problem.ranks()
                                                             : std::min(problem.loads[rank], share));
    }
  }
}

TEST(Targets, ACappedSpreadLeavesMostRanksWithLittleAsTheyAre) {
  std::mt19937 random(1);
  std::vector<Tasks> loads(10000);
  for (Tasks& load : loads)
    load = 20 + static_cast<Tasks>(random() % 9);
  const std::vector<Rank> order = shuffled_ranks(random, 10000);
  loads[0] += 1 + 10000 - std::reduce(loads.begin(), loads.end(), Tasks{0}) % 10000; // one over a multiple
  const auto flow_size = [&](Spread spread) {
    return served(Service::sweep, line_of(loads, targets(loads, order, spread), order).slice()).size();
  };
  EXPECT_LT(flow_size(Spread::capped), flow_size(Spread::even) * 3 / 4);
}

} // namespace
} // namespace thalweg::balancing
