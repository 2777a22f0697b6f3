// SPDX-License-Identifier: BSD-3-Clause
#include "topology/network.hpp"

#include "base/error.hpp"

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace thalweg::topology {

namespace {

struct Shape {
  const char* text;
  std::int32_t hosts;
  std::int32_t switches;
  std::size_t hops_max; // links on the longest route
};

class EveryNetwork : public testing::TestWithParam<Shape> {};

TEST_P(EveryNetwork, RoutesAreShortWalksOverItsLinks) {
  const Network network(GetParam().text, GetParam().hosts);
  EXPECT_EQ(network.switches(), GetParam().switches);
  std::size_t longest = 0;
  for (std::int32_t from = 0; from < network.hosts(); ++from)
    for (std::int32_t to = 0; to < network.hosts(); ++to) {
      std::int32_t at = from;
      std::set<std::int32_t> seen;
      for (const std::int32_t link : network.route(from, to)) {
        ASSERT_LT(static_cast<std::size_t>(link), network.links().size());
        EXPECT_EQ(network.links()[static_cast<std::size_t>(link)].from, at);
        at = network.links()[static_cast<std::size_t>(link)].to;
        EXPECT_TRUE(seen.insert(at).second);
      }
      EXPECT_EQ(at, to);
      longest = std::max(longest, network.route(from, to).size());
    }
  EXPECT_EQ(longest, GetParam().hops_max);
}

TEST_P(EveryNetwork, HasEachLinkOnceInBothDirections) {
  const Network network(GetParam().text, GetParam().hosts);
  std::set<std::pair<std::int32_t, std::int32_t>> links;
  for (const NetworkLink& link : network.links())
    EXPECT_TRUE(links.insert({link.from, link.to}).second) << link.from << " " << link.to;
  for (const auto& [from, to] : links)
    EXPECT_TRUE(links.contains({to, from}));
}

INSTANTIATE_TEST_SUITE_P(Every, EveryNetwork,
                         testing::Values(Shape{"star", 8, 1, 2}, Shape{"star", 1, 1, 0},
                                         Shape{"fat-tree:4x2", 8, 4, 4}, Shape{"fat-tree:3x2", 8, 5, 4},
                                         Shape{"fat-tree:8x1", 8, 2, 2}, Shape{"ring", 8, 8, 6},
                                         Shape{"ring", 2, 2, 3}, Shape{"ring", 3, 3, 3},
                                         Shape{"torus:4x2", 8, 8, 5}, Shape{"torus:3x3x3", 27, 27, 5},
                                         Shape{"torus:2x2x2", 8, 8, 5}, Shape{"torus:5x1", 5, 5, 4},
                                         Shape{"mesh:4x2", 8, 8, 6}, Shape{"tree:2^3", 8, 12, 6},
                                         Shape{"torus:2x2*3", 12, 4, 4}, Shape{"dragonfly:1x2x1", 6, 6, 5}));

TEST(Network, RefusesWhatItIsNot) {
  for (const char* text : {"", "cube", "star:4", "fat-tree", "fat-tree:4", "fat-tree:0x2", "fat-tree:4x2x2",
                           "torus", "torus:", "torus:4x", "torus:3x3", "torus:-2x-4", "ring:7",
                           "torus:4x2,route=split", "xgft:8:2", "xgft:4x4:1x2"})
    EXPECT_THROW(Network(text, 8), Error) << text;
  EXPECT_THROW(Network("star", 0), Error);
}

TEST(Network, AFatTreeSpreadsDestinationsOverSpines) {
  const Network network("fat-tree:4x4", 8);
  std::set<std::int32_t> spines;
  for (std::int32_t host = 4; host < 8; ++host)
    spines.insert(network.forwarding(host)[static_cast<std::size_t>(network.switch_of(0) - 8)]);
  EXPECT_EQ(spines.size(), 4U);
}

TEST(Network, CountsHopsAndHostsByName) {
  const Network network("torus:4x2", 8);
  for (std::int32_t from = 0; from < 8; ++from)
    for (std::int32_t to = 0; to < 8; ++to)
      EXPECT_EQ(network.hops(from, to), std::ssize(network.route(from, to)));
  ASSERT_TRUE(network.grid().has_value());
  EXPECT_EQ(network.grid()->name(), "torus:4x2");
  EXPECT_FALSE(Network("star", 8).grid().has_value());
  EXPECT_FALSE(Network("torus:2x2*2", 8).grid().has_value());
  EXPECT_EQ(Network::hosts_of("torus:4x2"), 8);
  EXPECT_EQ(Network::hosts_of("dragonfly:1x2x1"), 6);
  for (const char* shape : {"star", "ring", "fat-tree:4x2", "", "sponge"})
    EXPECT_EQ(Network::hosts_of(shape), 0) << shape;
}

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
