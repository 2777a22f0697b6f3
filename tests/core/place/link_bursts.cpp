// SPDX-License-Identifier: BSD-3-Clause
#include "place/link_bursts.hpp"

#include "problems.hpp"
#include "topology/interconnect.hpp"

#include <gtest/gtest.h>
#include <set>

namespace thalweg::place {
namespace {

/// What bursts take, of links that take so long for what they have of a capacity of 1.
BurstTimes times(const topology::Interconnect& machine, const std::vector<BurstRound>& rounds,
                 const std::vector<double>& link_seconds) {
  BurstTimes seconds;
  for (const BurstRound& round : rounds) {
    seconds.emplace_back();
    for (const Burst& burst : round) {
      double longest = 0;
      for (const topology::Link link : burst.links)
        longest = std::max(longest, link_seconds[static_cast<std::size_t>(link)] / machine.capacity(link));
      seconds.back().push_back(longest);
    }
  }
  return seconds;
}

TEST(LinkBursts, DoNotMeetEachOtherAndCoverAllLinks) {
  std::mt19937 random(1);
  for (int count = 0; count < 50; ++count) {
    const machine::Allocation allocation = random_allocation(random);
    const std::vector<topology::Link> links = burst_links(allocation);
    std::set<topology::Link> covered;
    for (const BurstRound& round : link_bursts(allocation, links, count % 2 == 0)) {
      std::set<std::int32_t> senders;
      std::set<std::int32_t> receivers;
      std::set<topology::Link> used;
      for (const Burst& burst : round) {
        EXPECT_TRUE(senders.insert(burst.from).second);
        EXPECT_TRUE(receivers.insert(burst.to).second);
        for (const topology::Link link : burst.links)
          EXPECT_TRUE(used.insert(link).second);
      }
      covered.insert(used.begin(), used.end());
    }
    EXPECT_TRUE(std::ranges::includes(covered, links));
  }
}

TEST(LinkBursts, FindTheLinksThatOthersUse) {
  for (const char* const machine :
       {"torus:8", "torus:4x4", "torus:4x2", "mesh:3x3", "tree:2^3", "torus:8,capacity=2"}) {
    const machine::Allocation allocation = whole(machine);
    const std::vector<topology::Link> links = burst_links(allocation);
    const std::vector<BurstRound> rounds = link_bursts(allocation, links, true);
    for (const topology::Link busy : links) {
      std::vector<double> seconds(static_cast<std::size_t>(allocation.interconnect->links()), 1);
      seconds[static_cast<std::size_t>(busy)] = 2;
      const BurstTimes measured = times(*allocation.interconnect, rounds, seconds);
      const std::vector<double> parts =
          free_parts(*allocation.interconnect, links, rounds, measured, quiet_seconds(rounds, measured), 1.5);
      EXPECT_EQ(parts[static_cast<std::size_t>(busy)], 0.5) << busy << " of " << machine;
      // In a tree some links are never crossed without others.
      if (allocation.interconnect->grid() != nullptr) {
        EXPECT_EQ(std::ranges::count(parts, 1), std::ssize(parts) - 1) << busy << " of " << machine;
      }
    }
  }
}

TEST(LinkBursts, LinksOfLessCapacityAreNotBusy) {
  const machine::Allocation allocation = whole("torus:4x4,capacity=1:0.25");
  const topology::Interconnect& machine = *allocation.interconnect;
  const std::vector<topology::Link> links = burst_links(allocation);
  const std::vector<BurstRound> rounds = link_bursts(allocation, links, true);
  const std::vector<double> alike(static_cast<std::size_t>(machine.links()), 1);
  const BurstTimes measured = times(machine, rounds, alike);
  const auto parts = free_parts(machine, links, rounds, measured, quiet_seconds(rounds, measured), 1.01);
  EXPECT_EQ(std::ranges::count(parts, 1), std::ssize(parts));
}

TEST(LinkBursts, CountByTheMiddlePass) {
  const std::vector<BurstTimes> passes{{{1, 8}, {3}}, {{2, 9}, {1}}, {{9, 1}, {2}}};
  EXPECT_EQ(middle_times(passes), (BurstTimes{{2, 8}, {2}}));
  EXPECT_EQ(times_at(passes, 0), (BurstTimes{{1, 1}, {1}}));
  EXPECT_EQ(times_at(passes, 2), (BurstTimes{{9, 9}, {3}}));
}

TEST(LinkBursts, TellNothingWhereMessagesAreSpread) {
  EXPECT_TRUE(burst_links(whole("torus:4x4,route=split")).empty());
  EXPECT_TRUE(burst_links(whole("torus:1")).empty());
}

TEST(BusyLinks, HaveLessCapacityAndAreNamed) {
  const machine::Allocation ring = whole("torus:4");
  std::vector<double> parts(static_cast<std::size_t>(ring.interconnect->links()), 1);
  parts[1] = 0.25;
  const auto busy = topology::with_busy_links(ring.interconnect, parts);
  EXPECT_EQ(busy->capacity(0), 1);
  EXPECT_EQ(busy->capacity(1), 0.25);
  EXPECT_EQ(busy->name(), "torus:4 with busy links");
  parts.pop_back();
  EXPECT_ANY_THROW(topology::with_busy_links(ring.interconnect, parts));
  parts.push_back(0);
  EXPECT_ANY_THROW(topology::with_busy_links(ring.interconnect, parts));
}

} // namespace
} // namespace thalweg::place
