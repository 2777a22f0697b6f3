// SPDX-License-Identifier: BSD-3-Clause

// Random loads: where elements are sent, ranks have what the schemes promise, and no element is lost.

#include "objects/reassignment.hpp"

#include "base/random.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace {

using namespace thalweg::objects;
using thalweg::Random;
using thalweg::Rank;

struct Problem {
  std::int32_t ranks;
  std::vector<Burden> elements;
  double mean = 0;
  double heaviest = 0;

  explicit Problem(Random& random) : ranks(1 + random.below(12)) {
    for (int count = random.below(100); count > 0; --count)
      elements.push_back({random.below(4) == 0 ? 0 : random.real(), static_cast<Rank>(random.below(ranks))});
    for (const Burden& one : elements) {
      mean += one.seconds / ranks;
      heaviest = std::max(heaviest, one.seconds);
    }
  }
  std::vector<Rank> now() const {
    std::vector<Rank> rank_of;
    for (const Burden& one : elements)
      rank_of.push_back(one.rank);
    return rank_of;
  }
  double slowest(const std::vector<Rank>& rank_of) const { return slowest_seconds(elements, rank_of, ranks); }
  void must_hold(const std::vector<Rank>& rank_of) const {
    ASSERT_EQ(rank_of.size(), elements.size());
    for (const Rank rank : rank_of)
      ASSERT_TRUE(rank >= 0 && rank < ranks);
  }
};

TEST(Reassignment, GreedyIsWithinGrahamsBound) {
  Random random(1);
  for (int round = 0; round < 500; ++round) {
    const Problem problem(random);
    const std::vector<Rank> to = greedy_ranks(problem.elements, problem.ranks);
    problem.must_hold(to);
    const double best = std::max(problem.mean, problem.heaviest); // nothing is below that
    EXPECT_LE(problem.slowest(to), problem.mean + (1 - 1.0 / problem.ranks) * best + 1e-12);
  }
}

TEST(Reassignment, RefinementNeverMakesItWorseAndFillsNobodyBeyondTheLimit) {
  Random random(2);
  for (int round = 0; round < 500; ++round) {
    const Problem problem(random);
    const double threshold = 0.3 * random.real();
    const std::vector<Rank> to = refined_ranks(problem.elements, problem.ranks, threshold);
    problem.must_hold(to);
    EXPECT_LE(problem.slowest(to), problem.slowest(problem.now()) + 1e-12);
    std::vector<double> seconds(static_cast<std::size_t>(problem.ranks));
    std::vector<bool> has_received(static_cast<std::size_t>(problem.ranks));
    for (std::size_t one = 0; one < to.size(); ++one) {
      seconds[static_cast<std::size_t>(to[one])] += problem.elements[one].seconds;
      if (to[one] != problem.elements[one].rank)
        has_received[static_cast<std::size_t>(to[one])] = true;
    }
    for (std::size_t rank = 0; rank < seconds.size(); ++rank)
      if (has_received[rank]) {
        EXPECT_LE(seconds[rank], (1 + threshold) * problem.mean + 1e-12);
      }
  }
}

TEST(Reassignment, RefinementLeavesBalancedLoadsAlone) {
  std::vector<Burden> elements;
  for (int one = 0; one < 24; ++one)
    elements.push_back({1, one % 4});
  std::vector<Rank> now;
  for (const Burden& one : elements)
    now.push_back(one.rank);
  EXPECT_EQ(refined_ranks(elements, 4, 0.05), now);
}

TEST(Reassignment, NeighborsComeTogether) { // a ring of elements that were dealt out like cards
  for (const std::int32_t ranks : {2, 3, 4, 8}) {
    const std::uint32_t count = 16 * static_cast<std::uint32_t>(ranks);
    std::vector<Burden> elements;
    std::vector<Talk> talks;
    for (std::uint32_t one = 0; one < count; ++one) {
      elements.push_back({1, static_cast<Rank>(one % static_cast<std::uint32_t>(ranks))});
      talks.push_back({one, (one + 1) % count, 100});
      talks.push_back({one, (one + count - 1) % count, 100});
      talks.push_back({one, one, 1e6}); // calls of oneself cut nothing
    }
    const std::vector<Rank> to = near_ranks(elements, talks, ranks, 0.05);
    std::vector<Rank> before;
    for (const Burden& one : elements)
      before.push_back(one.rank);
    EXPECT_EQ(cut_bytes(talks, before), 200.0 * count);
    EXPECT_LE(cut_bytes(talks, to), 200.0 * ranks * 2) << ranks << " ranks";
    EXPECT_LE(slowest_seconds(elements, to, ranks), 17);
  }
  EXPECT_TRUE(near_ranks({}, {}, 3, 0.05).empty());
}

} // namespace
