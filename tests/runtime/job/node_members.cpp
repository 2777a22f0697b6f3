// SPDX-License-Identifier: BSD-3-Clause
#include "job/node_members.hpp"

#include <gtest/gtest.h>

namespace thalweg::job {
namespace {

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

} // namespace
} // namespace thalweg::job
