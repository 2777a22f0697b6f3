// SPDX-License-Identifier: BSD-3-Clause
#include "topology/node_tour.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace thalweg::topology {
namespace {

std::vector<std::int32_t> shuffled(std::int32_t count, std::uint32_t seed) {
  std::vector<std::int32_t> places(static_cast<std::size_t>(count));
  std::iota(places.begin(), places.end(), 0);
  std::mt19937 random(seed);
  std::shuffle(places.begin(), places.end(), random);
  return places;
}

std::int64_t own_hops(const Network& network, const std::vector<std::int32_t>& places) {
  std::vector<std::int32_t> own(places.size());
  std::iota(own.begin(), own.end(), 0);
  return round_trip_hops(network, places, own);
}

struct Tour {
  const char* text;
  std::int32_t hosts;
  std::int64_t shortest; // round trip through all hosts
};

class NodeTour : public testing::TestWithParam<Tour> {};

TEST_P(NodeTour, ThroughAllHostsIsTheShortest) {
  const auto& [text, hosts, shortest] = GetParam();
  const Network network(text, hosts);
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const std::vector<std::int32_t> places = shuffled(hosts, seed);
    EXPECT_EQ(round_trip_hops(network, places, node_tour(network, places)), shortest) << seed;
  }
}

TEST_P(NodeTour, VisitsEachNodeOnceAndIsNeverLonger) {
  const auto& [text, hosts, shortest] = GetParam();
  const Network network(text, hosts);
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    std::vector<std::int32_t> places = shuffled(hosts, seed);
    places.resize(1 + seed * 7 % places.size());
    if (seed % 4 == 0)
      places.push_back(places.front()); // two nodes at one place
    const std::vector<std::int32_t> order = node_tour(network, places);
    ASSERT_EQ(order.size(), places.size());
    EXPECT_EQ(order.front(), 0);
    std::vector<std::int32_t> sorted = order;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i)
      EXPECT_EQ(sorted[i], static_cast<std::int32_t>(i));
    EXPECT_LE(round_trip_hops(network, places, order), own_hops(network, places));
  }
}

INSTANTIATE_TEST_SUITE_P(Every, NodeTour,
                         testing::Values(Tour{"star", 6, 12}, Tour{"ring", 8, 24}, Tour{"ring", 31, 93},
                                         Tour{"torus:4x2", 8, 24}, Tour{"torus:3x3", 9, 27},
                                         Tour{"torus:2x2x2", 8, 24}, Tour{"fat-tree:4x2", 8, 20},
                                         Tour{"fat-tree:3x2", 9, 24}));

TEST(NodeTour, OfALargeTorusIsNearTheShortest) {
  const Network network("torus:8x6x5", 240);
  const std::vector<std::int32_t> places = shuffled(240, 1);
  EXPECT_LE(round_trip_hops(network, places, node_tour(network, places)), 3 * 240 * 11 / 10);
}

TEST(NodeTour, OfManyNodesGoesAlongTheCurve) {
  const Network network("torus:32x32x8", 8192);
  const std::vector<std::int32_t> places = shuffled(8192, 1);
  EXPECT_LE(round_trip_hops(network, places, node_tour(network, places)), 3 * 8192 * 11 / 10);
}

TEST(NodeTour, IsTheirOwnOrderWhereThatIsAsShort) {
  const Network ring("ring", 8);
  EXPECT_EQ(node_tour(ring, std::vector<std::int32_t>{3, 4, 5, 6, 7, 0, 1, 2}),
            (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(node_tour(Network("star", 8), shuffled(8, 5)),
            (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

} // namespace
} // namespace thalweg::topology
