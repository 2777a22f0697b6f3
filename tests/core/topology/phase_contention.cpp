// SPDX-License-Identifier: BSD-3-Clause
#include "topology/phase_contention.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>

namespace thalweg::topology {
namespace {

std::vector<Place> own_places(std::int32_t ranks, std::int32_t ranks_per_node) {
  std::vector<Place> places;
  for (Rank rank = 0; rank < ranks; ++rank)
    places.push_back(static_cast<Place>(rank / ranks_per_node));
  return places;
}

void expect_proper(const std::vector<Edge>& edges, const EdgeColoring& coloring) {
  std::set<std::pair<Rank, std::int32_t>> sending;
  std::set<std::pair<Rank, std::int32_t>> receiving;
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    EXPECT_LT(coloring.of_edge[edge], coloring.colors);
    EXPECT_TRUE(sending.emplace(edges[edge].from, coloring.of_edge[edge]).second);
    EXPECT_TRUE(receiving.emplace(edges[edge].to, coloring.of_edge[edge]).second);
  }
}

TEST(PhaseContention, CountsMessagesThatShareALink) {
  const auto star = parse_interconnect("star:4");
  const std::vector<Place> places = own_places(8, 2);
  const std::vector<Edge> edges{{0, 2}, {1, 4}, {6, 5}};
  // In one phase the first node's link up carries two messages, and the third node's link down too.
  EXPECT_EQ(contention({*star, places}, edges, {1, {0, 0, 0}}), 4);
  EXPECT_EQ(contention({*star, places}, edges, {2, {0, 1, 0}}), 0);
}

// Kempe's exchanges never add to it, and keep phases phases.
TEST(PhaseContention, LessensOnNetworks) {
  std::mt19937 random(22);
  for (const char* const shape : {"star:12", "tree:4^2", "ring:12", "torus:4x3", "fat-tree:4x2"}) {
    SCOPED_TRACE(shape);
    const auto network = parse_interconnect(shape, 12);
    double before = 0;
    double after = 0;
    for (int graph = 0; graph < 20; ++graph) {
      const std::int32_t ranks = 24;
      std::vector<Edge> edges;
      for (Rank from = 0; from < ranks; ++from)
        for (int one = 0; one < 5; ++one)
          edges.push_back({from, static_cast<Rank>(random() % ranks)});
      const std::vector<Place> places = own_places(ranks, 2);
      const EdgeColoring first = color_edges(ranks, edges);
      const EdgeColoring better = with_less_contention({*network, places}, edges, first);
      EXPECT_EQ(better.colors, first.colors);
      expect_proper(edges, better);
      const double was = contention({*network, places}, edges, first);
      const double is = contention({*network, places}, edges, better);
      EXPECT_LE(is, was);
      before += was;
      after += is;
    }
    EXPECT_LT(after, 0.8 * before);
  }
}

TEST(PhaseContention, LeavesWhatIsFree) {
  const auto tree = parse_interconnect("tree:4^3");
  std::vector<Edge> edges;
  for (Rank from = 0; from < 64; ++from)
    for (const std::int32_t shift : {1, 2, 16, 63})
      edges.push_back({from, (from + shift) % 64});
  const std::vector<Place> places = own_places(64, 1);
  const EdgeColoring shifts = color_edges(64, edges);
  EXPECT_EQ(contention({*tree, places}, edges, shifts), 0);
  EXPECT_EQ(with_less_contention({*tree, places}, edges, shifts).of_edge, shifts.of_edge);
}

} // namespace
} // namespace thalweg::topology
