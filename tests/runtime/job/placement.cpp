// SPDX-License-Identifier: BSD-3-Clause
#include "job/placement.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

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

TEST(NodeMembers, AreTheRanksOfThisNodeInOrder) {
  const std::vector<int> nodes{0, 1, 0, 2, 1, 0};
  const NodeMembers members = node_members(nodes, 2);
  EXPECT_EQ(members.ranks, (std::vector<Rank>{0, 2, 5}));
  EXPECT_EQ(members.own, 1);
  EXPECT_EQ(numbers_on_node(members, 6), (std::vector<Rank>{0, -1, 1, -1, -1, 2}));
}

TEST(NodeMembers, OfEveryRankAreConsistent) {
  for (std::int32_t ranks = 1; ranks <= 32; ++ranks)
    for (int node_count = 1; node_count <= ranks; ++node_count) {
      std::vector<int> nodes;
      for (Rank rank = 0; rank < ranks; ++rank)
        nodes.push_back(rank * 7 % node_count);
      for (Rank rank = 0; rank < ranks; ++rank) {
        const NodeMembers members = node_members(nodes, rank);
        ASSERT_EQ(members.ranks[static_cast<std::size_t>(members.own)], rank);
        const std::vector<Rank> numbers = numbers_on_node(members, ranks);
        for (Rank other = 0; other < ranks; ++other) {
          const auto place = static_cast<std::size_t>(other);
          ASSERT_EQ(numbers[place] >= 0, nodes[place] == nodes[static_cast<std::size_t>(rank)]);
        }
      }
    }
}

// Two sockets, with cores dealt out as hyperthreads are: 0-3 and 8-11 on the one, 4-7 and 12-15 on the other.
class Socket : public testing::Test {
protected:
  Socket()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("thalweg-sockets-" + std::to_string(::getpid()))) {
    for (int core = 0; core < 16; ++core)
      write(core, core / 4 % 2, core / 4 % 2 == 0 ? "0-3,8-11" : "4-7,12-15");
  }
  ~Socket() override { std::filesystem::remove_all(folder_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void write(int core, int socket, const std::string& fellows) const {
    const auto topology = folder_ / ("cpu" + std::to_string(core)) / "topology";
    std::filesystem::create_directories(topology);
    std::ofstream(topology / "physical_package_id") << socket << '\n';
    std::ofstream(topology / "core_siblings_list") << fellows << '\n';
  }
  int found(std::span<const std::size_t> cores) const { return socket_of(cores, folder_.string()); }

private:
  std::filesystem::path folder_;
};

TEST_F(Socket, HasAllCoresOfARank) {
  EXPECT_EQ(found(std::array<std::size_t, 1>{5}), 1);
  EXPECT_EQ(found(std::array<std::size_t, 3>{0, 3, 9}), 0);
  EXPECT_EQ(found(std::array<std::size_t, 8>{4, 5, 6, 7, 12, 13, 14, 15}), 1);
}

TEST_F(Socket, IsNotKnownOfRanksThatMayMove) {
  EXPECT_EQ(found(std::array<std::size_t, 2>{3, 4}), -1);
  EXPECT_EQ(found(std::array<std::size_t, 2>{0, 15}), -1);
}

TEST_F(Socket, IsNotKnownWhereTheKernelSaysNothingOrNonsense) {
  EXPECT_EQ(found({}), -1);
  EXPECT_EQ(found(std::array<std::size_t, 1>{99}), -1);
  for (const char* text :
       {"", "-", ",", "x", "3-", "-3", "1-99999999999999999999", "4294967296-4294967297", "5-1"}) {
    write(0, 0, text);
    EXPECT_EQ(found(std::array<std::size_t, 1>{7}), 1) << text;
    EXPECT_LE(found(std::array<std::size_t, 1>{0}), 0) << text;
  }
}

} // namespace
} // namespace thalweg::job
