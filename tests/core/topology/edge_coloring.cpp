// SPDX-License-Identifier: BSD-3-Clause
#include "topology/edge_coloring.hpp"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace thalweg::topology {
namespace {

void expect_proper(std::int32_t ranks, const std::vector<Edge>& edges, const EdgeColoring& coloring) {
  ASSERT_EQ(coloring.of_edge.size(), edges.size());
  EXPECT_EQ(coloring.colors, largest_degree(ranks, edges));
  std::set<std::pair<Rank, std::int32_t>> sending;
  std::set<std::pair<Rank, std::int32_t>> receiving;
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    const std::int32_t color = coloring.of_edge[edge];
    EXPECT_GE(color, 0);
    EXPECT_LT(color, coloring.colors);
    EXPECT_TRUE(sending.emplace(edges[edge].from, color).second) << "two of one sender in a phase";
    EXPECT_TRUE(receiving.emplace(edges[edge].to, color).second) << "two of one receiver in a phase";
  }
}

std::vector<Edge> random_edges(std::int32_t ranks, std::size_t count, std::mt19937& random) {
  std::vector<Edge> edges;
  const auto some = [&] { return static_cast<Rank>(random() % static_cast<std::uint32_t>(ranks)); };
  for (std::size_t edge = 0; edge < count; ++edge)
    edges.push_back({some(), some()});
  return edges;
}

TEST(EdgeColoring, NeedsAsManyColorsAsTheLargestDegree) {
  std::mt19937 random(47);
  for (int graph = 0; graph < 400; ++graph) {
    SCOPED_TRACE(graph);
    const auto ranks = static_cast<std::int32_t>(1 + random() % 40);
    const auto edges = random_edges(ranks, random() % 400, random);
    expect_proper(ranks, edges, color_edges(ranks, edges));
  }
}

// Few senders, few receivers: alternating paths are long, and hints of little use.
TEST(EdgeColoring, HoldsWhereDegreesAreSkewed) {
  std::mt19937 random(48);
  for (int graph = 0; graph < 100; ++graph) {
    SCOPED_TRACE(graph);
    const auto ranks = static_cast<std::int32_t>(2 + random() % 100);
    std::vector<Edge> edges = random_edges(ranks, 3 * static_cast<std::size_t>(ranks), random);
    for (Edge& edge : edges) {
      edge.from = edge.from * edge.from / ranks;
      edge.to = ranks - 1 - (edge.to * edge.to / ranks);
    }
    std::vector<Rank> places(static_cast<std::size_t>(ranks));
    for (Rank& place : places)
      place = static_cast<Rank>(random() % 1000);
    expect_proper(ranks, edges, color_edges(ranks, edges, places));
  }
}

TEST(EdgeColoring, GivesShiftsAColorEach) {
  for (std::int32_t ranks = 1; ranks <= 70; ++ranks) {
    SCOPED_TRACE(ranks);
    std::vector<Edge> edges;
    for (Rank from = 0; from < ranks; ++from)
      for (const std::int32_t shift : {0, 1, 3, ranks - 1})
        edges.push_back({from, (from + shift) % ranks});
    const EdgeColoring coloring = color_edges(ranks, edges);
    expect_proper(ranks, edges, coloring);
    if (ranks < 5)
      continue; // shifts are the same
    std::vector<std::set<std::int32_t>> shifts(4);
    for (std::size_t edge = 0; edge < edges.size(); ++edge)
      shifts[static_cast<std::size_t>(coloring.of_edge[edge])].insert(
          (edges[edge].to - edges[edge].from + ranks) % ranks);
    for (const auto& of_color : shifts)
      EXPECT_EQ(of_color.size(), 1U);
  }
}

TEST(EdgeColoring, HasNothingToDoWithoutEdges) {
  EXPECT_EQ(color_edges(0, {}).colors, 0);
  EXPECT_EQ(color_edges(5, {}).colors, 0);
}

} // namespace
} // namespace thalweg::topology
