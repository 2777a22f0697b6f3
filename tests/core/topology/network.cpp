// SPDX-License-Identifier: BSD-3-Clause
#include "topology/network.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>
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

} // namespace
} // namespace thalweg::topology
