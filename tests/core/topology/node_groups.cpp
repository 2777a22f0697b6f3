// SPDX-License-Identifier: BSD-3-Clause
#include "topology/node_groups.hpp"

#include <gtest/gtest.h>

namespace thalweg::topology {
namespace {

using Ranks = std::vector<Rank>;

TEST(NodeGroups, StandInOrderOfFirstAppearance) {
  const std::vector<std::int32_t> nodes{7, 2, 7, 2, 0};
  const NodeGroups groups = node_groups(5, &nodes);
  EXPECT_EQ(groups.members, (std::vector<Ranks>{{0, 2}, {1, 3}, {4}}));
  EXPECT_EQ(groups.leaders, (Ranks{0, 1, 4}));
  EXPECT_EQ(groups.group(3), 1);
  EXPECT_EQ(groups.place(3), 1);
  EXPECT_EQ(groups.place(4), 0);
  EXPECT_FALSE(groups.contiguous());
}

TEST(NodeGroups, TheRootLeadsItsNode) {
  const std::vector<std::int32_t> nodes{1, 1, 1, 0};
  const NodeGroups groups = node_groups(4, &nodes, 2);
  EXPECT_EQ(groups.leaders, (Ranks{2, 3}));
  EXPECT_TRUE(groups.is_leader(2));
  EXPECT_FALSE(groups.is_leader(0));
  EXPECT_TRUE(groups.contiguous());
}

TEST(NodeGroups, WithoutKnowledgeAllAreOnOneNode) {
  const NodeGroups groups = node_groups(3, nullptr);
  EXPECT_EQ(groups.members, (std::vector<Ranks>{{0, 1, 2}}));
  EXPECT_EQ(groups.leader(2), 0);
  EXPECT_TRUE(groups.contiguous());
}

TEST(NodeGroups, SocketsAreNumberedAcrossNodes) {
  const std::vector<std::int32_t> nodes{0, 0, 1, 1, 0, 1};
  EXPECT_EQ(sockets_across_nodes(nodes, std::vector<std::int32_t>{0, 1, 0, 0, 1, -1}),
            (std::vector<std::int32_t>{0, 1, 2, 2, 1, 3}));
  EXPECT_TRUE(sockets_across_nodes(nodes, std::vector<std::int32_t>{0, 0, 1, 1, 0, 1}).empty());
  EXPECT_TRUE(sockets_across_nodes(nodes, {}).empty());
}

} // namespace
} // namespace thalweg::topology
