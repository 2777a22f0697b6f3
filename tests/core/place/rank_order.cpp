// SPDX-License-Identifier: BSD-3-Clause
#include "place/rank_order.hpp"

#include "problems.hpp"

#include <gtest/gtest.h>
#include <random>

namespace thalweg::place {
namespace {

constexpr Options quick{.goal = sure_goal, .proposals = 2000};

TEST(SureOrder, RenumbersOnlyWhatGainsEnoughAndMakesNothingWorse) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const machine::Allocation allocation = random_allocation(random);
    const pattern::Pattern pattern =
        random_pattern(random, static_cast<std::int32_t>(allocation.slots.size()));
    const double gain = static_cast<double>(random() % 3) * 0.2;
    const SureOrder order = sure_order(pattern, allocation, quick, gain);
    EXPECT_FALSE(order.why.empty());
    if (order.slot_of.empty())
      continue;
    const Metrics before = metrics(pattern, allocation, Mapping::identity(pattern.tasks).slot_of);
    const Metrics after = metrics(pattern, allocation, order.slot_of);
    EXPECT_LE(value(sure_goal, after, before), 1 - gain + 1e-9) << order.why;
    EXPECT_LE(after.hop_bytes, before.hop_bytes) << order.why;
    EXPECT_LE(after.phase_link_max, before.phase_link_max) << order.why;
    Numbers sorted = order.slot_of;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, Mapping::identity(pattern.tasks).slot_of);
  }
}

TEST(SureOrder, StaysWhereNothingIsSent) {
  const machine::Allocation allocation = whole("torus:4");
  EXPECT_EQ(sure_order({4, {}}, allocation).why, "no rank sends anything to another");
  EXPECT_TRUE(sure_order({4, {{"own", 1, {4, {{1, 1, 9, 1}}}}}}, allocation).slot_of.empty());
}

TEST(SureOrder, SwapsTheEndsOfALine) {
  // Ranks 0 and 2 are apart, and talk: half of the hops can be saved, and nothing of the most loaded link.
  const machine::Allocation allocation = whole("mesh:3");
  const pattern::Pattern pattern{3, {{"all", 1, {3, {{0, 2, 8e6, 1}, {2, 0, 8e6, 1}}}}}};
  EXPECT_FALSE(sure_order(pattern, allocation, quick, 0.2).slot_of.empty());
  EXPECT_TRUE(sure_order(pattern, allocation, quick, 0.3).slot_of.empty());
}

TEST(JobAllocation, NodesAloneAreEquallyFar) {
  const std::vector<int> nodes{0, 1, 1, 2};
  const machine::Allocation allocation = job_allocation({}, nodes, 3);
  const auto hops = [&](std::size_t a, std::size_t b) {
    return allocation.interconnect->hops(allocation.slots[a], allocation.slots[b]);
  };
  EXPECT_EQ(hops(1, 2), 0);
  EXPECT_GT(hops(0, 1), 0);
  EXPECT_EQ(hops(0, 1), hops(2, 3));
}

} // namespace
} // namespace thalweg::place
