// SPDX-License-Identifier: BSD-3-Clause
#include "job/group_places.hpp"

#include <gtest/gtest.h>

namespace thalweg::job {
namespace {

using Numbers = std::vector<std::int32_t>;

/// Two ranks a node, the second node's on two sockets; the last node has a switch of its own.
Placement three_nodes() {
  Placement whole;
  whole.nodes = {0, 0, 1, 1, 2, 2};
  whole.node_count = 3;
  whole.sockets = {0, 0, 1, 2, 3, 3};
  whole.leaves = {0, 0, 0, 0, 1, 1};
  return whole;
}

TEST(GroupPlaces, OfAllRanksAreThePlacements) {
  const GroupPlaces places = places_of(three_nodes());
  EXPECT_EQ(*places.nodes, three_nodes().nodes);
  EXPECT_EQ(*places.sockets, three_nodes().sockets);
  EXPECT_EQ(*places.leaves, three_nodes().leaves);
  EXPECT_EQ(places.node_count, 3);
}

TEST(GroupPlaces, OfUnknownSocketsAndSwitchesAreNull) {
  Placement whole = three_nodes();
  whole.sockets.clear();
  whole.leaves.clear();
  const std::vector<Rank> ranks{0, 5};
  for (const GroupPlaces& places : {places_of(whole), places_of_part(whole, {}, ranks)}) {
    EXPECT_EQ(places.sockets, nullptr);
    EXPECT_EQ(places.leaves, nullptr);
  }
}

TEST(GroupPlaces, OfAPartAreNumberedInItsOrder) {
  const std::vector<Rank> ranks{5, 3, 2, 4};
  const GroupPlaces places = places_of_part(three_nodes(), {}, ranks);
  EXPECT_EQ(*places.nodes, (Numbers{0, 1, 1, 0}));
  EXPECT_EQ(*places.sockets, (Numbers{0, 1, 2, 0}));
  EXPECT_EQ(*places.leaves, (Numbers{0, 1, 1, 0}));
  EXPECT_EQ(places.node_count, 2);
}

TEST(GroupPlaces, OfAPartWithASocketANodeOrASwitchForAllLeaveThoseOut) {
  const std::vector<Rank> ranks{2, 0};
  const GroupPlaces places = places_of_part(three_nodes(), {}, ranks);
  EXPECT_EQ(*places.nodes, (Numbers{0, 1}));
  EXPECT_EQ(places.sockets, nullptr);
  EXPECT_EQ(places.leaves, nullptr);
}

TEST(GroupPlaces, OfAPartAreThoseOfItsNodesInTheNetwork) {
  const topology::NodePlaces network{"torus:4x4", 16, {7, 3, 12}};
  const std::vector<Rank> ranks{4, 1, 0};
  const GroupPlaces places = places_of_part(three_nodes(), network, ranks);
  EXPECT_EQ(places.in_network.network, network.network);
  EXPECT_EQ(places.in_network.hosts, 16);
  EXPECT_EQ(places.in_network.places, (Numbers{12, 7}));
  const GroupPlaces without = places_of_part(three_nodes(), {network.network, 16, {}}, ranks);
  EXPECT_EQ(without.in_network.places, Numbers{});
}

} // namespace
} // namespace thalweg::job
