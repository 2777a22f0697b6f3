// SPDX-License-Identifier: BSD-3-Clause
#include "job/placement.hpp"

#include <gtest/gtest.h>

namespace thalweg::job {
namespace {

RankPlace place(std::uint64_t node, std::uint64_t cores, std::uint32_t quota_centicores = UINT32_MAX) {
  return {node, node, {cores, 0, 0, 0}, quota_centicores, -1};
}

TEST(Placement, NumbersNodesInOrderOfAppearance) {
  const std::vector<RankPlace> ranks{place(70, 1), place(5, 1), place(70, 2), place(9, 1)};
  const Placement placement = place_ranks(ranks);
  EXPECT_EQ(placement.nodes, (std::vector{0, 1, 0, 2}));
  EXPECT_EQ(placement.node_count, 3);
  EXPECT_FALSE(placement.oversubscribed);
}

TEST(Placement, RanksBoundToCoresOfTheirOwnAreNotOversubscribed) {
  const std::vector<RankPlace> ranks{place(1, 0b0001), place(1, 0b0010), place(1, 0b0100), place(1, 0b1000)};
  EXPECT_FALSE(place_ranks(ranks).oversubscribed);
}

TEST(Placement, MoreRanksThanCoresAreOversubscribed) {
  const std::vector<RankPlace> ranks{place(1, 0b11), place(1, 0b11), place(1, 0b11)};
  const Placement placement = place_ranks(ranks);
  EXPECT_TRUE(placement.oversubscribed);
  EXPECT_EQ(placement.oversubscribed_ranks, 3);
  EXPECT_DOUBLE_EQ(placement.oversubscribed_cores, 2.0);
}

TEST(Placement, HostsOfOneMachineShareItsCores) {
  const std::vector<RankPlace> ranks{
      {7, 1, {0b11, 0, 0, 0}}, {7, 2, {0b11, 0, 0, 0}}, {7, 3, {0b11, 0, 0, 0}}};
  const Placement placement = place_ranks(ranks);
  EXPECT_EQ(placement.nodes, (std::vector{0, 1, 2}));
  EXPECT_EQ(placement.node_count, 3);
  EXPECT_TRUE(placement.oversubscribed);
  EXPECT_EQ(placement.oversubscribed_ranks, 3);
}

TEST(Placement, OneOversubscribedMachineIsEnough) {
  const std::vector<RankPlace> ranks{place(1, 0b11), place(1, 0b11), place(2, 0b1), place(2, 0b1)};
  EXPECT_TRUE(place_ranks(ranks).oversubscribed);
}

TEST(Placement, TheControlGroupsQuotaCounts) {
  const std::vector<RankPlace> ranks{place(1, 0xFF, 150), place(1, 0xFF, 150)};
  const Placement placement = place_ranks(ranks);
  EXPECT_TRUE(placement.oversubscribed);
  EXPECT_DOUBLE_EQ(placement.oversubscribed_cores, 1.5);
}

TEST(Placement, NumbersSocketsAcrossNodes) {
  std::vector<RankPlace> ranks{place(7, 1), place(7, 2), place(5, 1), place(7, 4), place(5, 3)};
  const int sockets[] = {1, 0, 1, -1, 1};
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    ranks[rank].socket = sockets[rank];
  EXPECT_EQ(place_ranks(ranks).sockets, (std::vector{0, 1, 2, 3, 2}));
}

TEST(Placement, OneSocketANodeIsNoNews) {
  const std::vector<RankPlace> ranks{place(1, 1), place(2, 1), place(1, 2)};
  EXPECT_TRUE(place_ranks(ranks).sockets.empty());
}

TEST(Placement, ThisProcessHasAPlace) {
  const RankPlace mine = this_place();
  EXPECT_NE(mine.node, 0U);
  EXPECT_EQ(mine.node, this_place().node);
  EXPECT_NE(mine.cores[0] | mine.cores[1] | mine.cores[2] | mine.cores[3], 0U);
}

TEST(Placement, RanksAreOnTheLeavesThatTheirAgentsName) {
  std::vector<RankPlace> ranks{place(1, 1), place(2, 1), place(3, 1), place(4, 1)};
  const std::uint32_t aggregators[] = {7, 3, 7, 9};
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    ranks[rank].aggregator = aggregators[rank];
  EXPECT_EQ(place_ranks(ranks).leaves, (std::vector{0, 1, 0, 2}));
  ranks[2].aggregator = 0;
  EXPECT_TRUE(place_ranks(ranks).leaves.empty());
  for (RankPlace& rank : ranks)
    rank.aggregator = 7;
  EXPECT_TRUE(place_ranks(ranks).leaves.empty());
}

TEST(Placement, OneRankOfAHostIsEnoughToKnowItsLeaf) {
  std::vector<RankPlace> ranks{place(1, 1), place(2, 1), place(1, 1), place(2, 1)};
  ranks[2].aggregator = 7;
  ranks[1].aggregator = 3;
  EXPECT_EQ(place_ranks(ranks).leaves, (std::vector{0, 1, 0, 1}));
  ranks[1].aggregator = RankPlace::unreported;
  EXPECT_TRUE(place_ranks(ranks).leaves.empty());
}

} // namespace
} // namespace thalweg::job
