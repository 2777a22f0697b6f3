// SPDX-License-Identifier: BSD-3-Clause
#include "topology/node_places.hpp"

#include "base/error.hpp"

#include <array>
#include <gtest/gtest.h>
#include <random>

namespace thalweg::topology {
namespace {

TEST(NodePlaces, WithoutPlacesIsTheWholeNetworkInOrder) {
  const LocatedNodes found = locate({.network = "torus:4x2"}, 8);
  ASSERT_TRUE(found.network);
  EXPECT_EQ(found.network->hosts(), 8);
  EXPECT_EQ(found.places, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(found.why_unknown, "");
}

TEST(NodePlaces, WithoutAShapeIsUnknownWithoutComplaint) {
  const LocatedNodes nothing = locate({}, 8);
  EXPECT_FALSE(nothing.network);
  EXPECT_TRUE(nothing.places.empty());
  EXPECT_EQ(nothing.why_unknown, "");
  const LocatedNodes places = locate({.places = {5, 2}}, 2);
  EXPECT_FALSE(places.network);
  EXPECT_EQ(places.places, (std::vector<std::int32_t>{5, 2}));
  EXPECT_EQ(places.why_unknown, "");
}

TEST(NodePlaces, WithPlacesMayBeAPartOfTheNetwork) {
  const LocatedNodes part = locate({.network = "torus:4x2", .places = {6, 1}}, 2);
  ASSERT_TRUE(part.network);
  EXPECT_EQ(part.network->hosts(), 8);
  EXPECT_EQ(part.places, (std::vector<std::int32_t>{6, 1}));
  EXPECT_EQ(locate({.network = "ring", .hosts = 12, .places = {6, 1}}, 2).network->hosts(), 12);
  EXPECT_EQ(locate({.network = "ring", .places = {6, 1}}, 2).network->hosts(), 7);
}

TEST(NodePlaces, SaysWhyAShapeCannotBeUsed) {
  const auto why = [](const NodePlaces& known, std::int32_t nodes) {
    const LocatedNodes found = locate(known, nodes);
    EXPECT_FALSE(found.network);
    EXPECT_TRUE(found.places.empty());
    return found.why_unknown;
  };
  EXPECT_EQ(why({.network = "torus:4x2"}, 5), "'torus:4x2' has 8 places, not 5");
  EXPECT_EQ(why({.network = "cube"}, 5), "'cube' is no shape of a network");
  EXPECT_EQ(why({.network = "ring", .places = {0, -1, 2}}, 3), "the places of 1 of 3 nodes are not known");
  EXPECT_EQ(why({.network = "ring", .hosts = 4, .places = {0, 4}}, 2),
            "place 4 is beyond the network's 4 hosts");
  EXPECT_EQ(why({.network = "torus:99999x99999", .places = {0, 4}}, 2).substr(0, 12), "a network of");
}

// Numbered as jobs number what agents name (job/placement.cpp), so that both have the same schedules.
TEST(NodePlaces, SayWhichRanksAreOnTheSameSwitch) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const std::array<const char*, 5> shapes{"fat-tree:3x2", "star", "ring", "torus:3x4", "dragonfly:3x2x1"};
    NodePlaces known{.network = shapes[random() % shapes.size()], .hosts = 12};
    if (known.network.starts_with("dragonfly"))
      known.hosts = Network::hosts_of(known.network);
    const auto nodes = static_cast<std::int32_t>(1 + random() % 12);
    for (std::int32_t node = 0; node < nodes; ++node)
      known.places.push_back(static_cast<std::int32_t>(random() % static_cast<std::size_t>(known.hosts)));
    std::vector<std::int32_t> of_ranks;
    for (std::size_t rank = 0; rank < 1 + random() % 20; ++rank)
      of_ranks.push_back(static_cast<std::int32_t>(random() % static_cast<std::size_t>(nodes)));
    of_ranks.push_back(nodes - 1);
    const std::vector<std::int32_t> leaves = leaves_of(known, of_ranks);
    const Network network(known.network, known.hosts);
    const auto switch_of = [&](std::size_t rank) {
      return network.switch_of(known.places[static_cast<std::size_t>(of_ranks[rank])]);
    };
    std::int32_t numbered = 0;
    for (std::size_t a = 0; a < of_ranks.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b)
        EXPECT_EQ(leaves.empty() || leaves[a] == leaves[b], switch_of(a) == switch_of(b)) << known.network;
      if (!leaves.empty()) {
        EXPECT_LE(leaves[a], numbered);
        numbered = std::max(numbered, leaves[a] + 1);
      }
    }
  }
}

TEST(NodePlaces, SayNothingOfSwitchesThatAreNotKnown) {
  const std::vector<std::int32_t> nodes{0, 1, 2, 3};
  EXPECT_TRUE(leaves_of({}, nodes).empty());
  EXPECT_TRUE(leaves_of({.network = "fat-tree:2x2"}, {}).empty());
  EXPECT_TRUE(leaves_of({.network = "torus:4x2"}, nodes).empty());
  EXPECT_TRUE(leaves_of({.network = "fat-tree:2x2", .places = {0, -1, 2, 3}}, nodes).empty());
  EXPECT_EQ(leaves_of({.network = "fat-tree:2x2"}, nodes), (std::vector<std::int32_t>{0, 0, 1, 1}));
}

TEST(NodePlaces, RefusesPlacesOfOtherNodes) {
  EXPECT_THROW(locate({.network = "ring", .places = {0, 1}}, 3), Error);
}

} // namespace
} // namespace thalweg::topology
