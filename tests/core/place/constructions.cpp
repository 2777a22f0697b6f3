// SPDX-License-Identifier: BSD-3-Clause
#include "place/constructions.hpp"

#include "base/error.hpp"
#include "place/energy.hpp"
#include "place/graph_cut.hpp"
#include "place/objectives.hpp"
#include "place/published_heuristics.hpp"
#include "place/stencil.hpp"
#include "problems.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace thalweg::place {
namespace {

void expect_permutation(const Mapping& mapping) {
  EXPECT_EQ(std::set(mapping.slot_of.begin(), mapping.slot_of.end()).size(), mapping.slot_of.size());
  for (std::int32_t task = 0; task < mapping.size(); ++task)
    EXPECT_EQ(mapping.task(mapping.slot(task)), task);
}

double hops_per_byte(Mapping mapping, const Graph& graph, const Distances& distances) {
  return HopBytes(graph, distances, mapping).value() / graph.total_bytes();
}

TEST(Constructions, GiveEachTaskASlot) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const machine::Allocation allocation = random_allocation(random);
    const auto slots = static_cast<std::int32_t>(allocation.slots.size());
    const Graph graph(pattern::sum(random_pattern(random, slots)), slots);
    const Distances distances(allocation);
    Random own(1);
    expect_permutation(bisected(graph, distances, own));
    expect_permutation(grown(graph, distances, heaviest_task(graph), central_slots(distances).front()));
    for (const std::string_view heuristic : literals())
      expect_permutation(literal(heuristic, graph, distances));
  }
  const machine::Allocation one = whole("torus:1");
  EXPECT_THROW(literal("best", Graph({1, {}}, 1), Distances(one)), Error);
}

/// Figures that were computed apart, in other programs, for 64 tasks on a cube of nodes.
TEST(Literal, HasTheFiguresOfItsSource) {
  const machine::Allocation allocation = cube(4);
  const Distances distances(allocation);
  const std::map<std::string_view, std::array<double, 4>> expected{
      // stencil, recursive doubling, Bruck, binomial tree
      {"gge", {2.11, 2.06, 3.78, 2.27}},
      {"mahd", {2.00, 2.08, 3.34, 2.27}},
      {"emahd-nodes", {1.00, 1.50, 2.90, 1.75}},
      {"emahd-tasks", {1.67, 1.50, 2.48, 2.03}},
  };
  const std::array patterns{natural_mesh({4, 4, 4}), natural_mesh({2, 2, 2, 2, 2, 2}), bruck(64),
                            binomial(64)};
  for (const auto& [heuristic, figures] : expected)
    for (std::size_t index = 0; index < patterns.size(); ++index) {
      const Graph graph(patterns[index], 64);
      EXPECT_NEAR(hops_per_byte(literal(heuristic, graph, distances), graph, distances), figures[index],
                  0.006)
          << heuristic << " " << index;
    }
}

TEST(LocalOpt, LowersTheMostLoadedLinkOfItsStart) {
  const machine::Allocation allocation = cube(4);
  const Distances distances(allocation);
  for (const pattern::Matrix& matrix : {bruck(64), binomial(64), natural_mesh({8, 8})}) {
    const Graph graph(matrix, 64);
    const pattern::Pattern pattern{64, {{"", 1, matrix}}};
    const Mapping found = local_opt(matrix, graph, distances);
    expect_permutation(found);
    EXPECT_LE(metrics(pattern, allocation, found.slot_of).link_max,
              metrics(pattern, allocation, literal("emahd-nodes", graph, distances).slot_of).link_max);
  }
}

TEST(Cut, HasPartsOfTheSizesAsked) {
  std::mt19937 random(8);
  for (int round = 0; round < 100; ++round) {
    CutGraph graph;
    const auto vertices = static_cast<std::int32_t>(random() % 200 + 1);
    const Graph edges(pattern::sum(random_pattern(random, vertices)), vertices);
    for (std::int32_t vertex = 0; vertex < vertices; ++vertex) {
      const auto neighbors = edges.neighbors(vertex);
      graph.neighbors.insert(graph.neighbors.end(), neighbors.begin(), neighbors.end());
      graph.bytes.insert(graph.bytes.end(), edges.bytes(vertex).begin(), edges.bytes(vertex).end());
      graph.begin.push_back(graph.neighbors.size());
      graph.sizes.push_back(1);
      graph.pull.push_back(static_cast<double>(random() % 5) - 2);
    }
    const auto first = static_cast<std::int32_t>(random() % (static_cast<std::size_t>(vertices) + 1));
    Random own(1);
    const Sides sides = cut(graph, first, 0, own);
    EXPECT_EQ(std::count(sides.begin(), sides.end(), 0), first);
  }
}

TEST(Cut, FindsTheNarrowPlace) {
  // Two meshes of 10 x 10, joined by one edge.
  std::vector<pattern::Edge> edges{{0, 100, 1, 1}};
  for (const std::int32_t begin : {0, 100})
    for (const pattern::Edge& edge : natural_mesh({10, 10}).edges())
      edges.push_back({edge.from + begin, edge.to + begin, 1, 1});
  const Graph graph({200, edges}, 200);
  CutGraph whole_graph;
  for (std::int32_t vertex = 0; vertex < 200; ++vertex) {
    for (const std::int32_t other : graph.neighbors(vertex))
      whole_graph.neighbors.push_back(other);
    for (const double bytes : graph.bytes(vertex))
      whole_graph.bytes.push_back(bytes);
    whole_graph.begin.push_back(whole_graph.neighbors.size());
  }
  whole_graph.sizes.assign(200, 1);
  whole_graph.pull.assign(200, 0);
  Random own(1);
  EXPECT_EQ(cut_cost(whole_graph, cut(whole_graph, 100, 0, own)), 1);
}

/// Extents below 0 are of rings, those of 100 and more of cliques.
pattern::Matrix product_pattern(const Numbers& extents, const Numbers& task_at) {
  std::vector<pattern::Edge> edges;
  const auto places = static_cast<std::int32_t>(task_at.size());
  std::int32_t stride = 1;
  for (const std::int32_t code : extents) {
    const std::int32_t extent = std::abs(code) % 100;
    for (std::int32_t place = 0; place < places; ++place) {
      const std::int32_t own = place / stride % extent;
      for (std::int32_t other = own + 1; other < extent; ++other)
        if (code >= 100 || other == own + 1 || (code < 0 && own == 0 && other == extent - 1))
          edges.push_back({task_at[static_cast<std::size_t>(place)],
                           task_at[static_cast<std::size_t>(place + (other - own) * stride)], 1, 1});
    }
    stride *= extent;
  }
  return {places, std::move(edges)};
}

std::int32_t places_of(const Numbers& extents) {
  std::int32_t places = 1;
  for (const std::int32_t code : extents)
    places *= std::abs(code) % 100;
  return places;
}

/// One edge more or less, and it is another product or none; that is found out whatever the edge.
TEST(Stencil, IsRecognizedUnderAnyNumbering) {
  std::mt19937 random(9);
  for (const Numbers& extents :
       {Numbers{7}, Numbers{4, 6}, Numbers{3, 4, 5}, Numbers{2, 2, 2, 2, 2}, Numbers{2, 5}, Numbers{-7},
        Numbers{-3, 5}, Numbers{-5, -6}, Numbers{-3, -5, -8}, Numbers{-6, 2, 2}, Numbers{104, 105},
        Numbers{105, -5}, Numbers{106}, Numbers{104, 3, -3}}) {
    const std::int32_t places = places_of(extents);
    const pattern::Matrix matrix = product_pattern(extents, shuffled(random, places));
    const auto found = recognized(Graph(matrix, places + 3));
    ASSERT_TRUE(found) << extents.front();
    std::multiset<std::pair<std::int32_t, Shape>> wanted;
    std::multiset<std::pair<std::int32_t, Shape>> got;
    for (const std::int32_t code : extents)
      wanted.emplace(std::abs(code) % 100, code < 0 ? Shape::ring : code >= 100 ? Shape::clique : Shape::row);
    for (std::size_t dimension = 0; dimension < found->extents.size(); ++dimension)
      got.emplace(found->extents[dimension], found->shapes[dimension]);
    EXPECT_EQ(got, wanted);
    std::vector<pattern::Edge> edges(matrix.edges().begin(), matrix.edges().end() - 1);
    if (places > 7) { // a row without an edge would be two
      EXPECT_FALSE(recognized(Graph({places, edges}, places)));
    }
  }
  EXPECT_FALSE(recognized(Graph(bruck(20), 20)));
  EXPECT_FALSE(recognized(Graph({5, {}}, 5)));
}

double closed_hops(const Numbers& extents, const machine::Allocation& allocation) {
  std::mt19937 random(10);
  const std::int32_t places = places_of(extents);
  const Distances distances(allocation);
  const Graph graph(product_pattern(extents, shuffled(random, places)), places);
  const auto stencil = recognized(graph);
  double best = 0;
  int count = 0;
  if (stencil)
    closed_forms(*stencil, graph, distances, [&](const Mapping& mapping) {
      expect_permutation(mapping);
      const double hops = hops_per_byte(mapping, graph, distances);
      best = count++ == 0 ? hops : std::min(best, hops);
      return false;
    });
  EXPECT_GT(count, 0);
  return best;
}

TEST(ClosedForms, AreOptimalOnTheStencilsOwnBox) {
  EXPECT_EQ(closed_hops({5, 6, 4}, whole("mesh:6x4x5")), 1);
  EXPECT_EQ(closed_hops({-5, -6, -8}, whole("torus:8x5x6")), 1);
  EXPECT_EQ(closed_hops({2, 2, 2, 2, 2, 2}, whole("torus:4x4x4")), 1); // rings of four
  EXPECT_EQ(closed_hops({-6, 5}, whole("torus:5x6")), 1);
}

TEST(ClosedForms, FoldExtentsOntoSeveralSides) {
  EXPECT_EQ(closed_hops({64}, whole("mesh:4x4x4")), 1);
  EXPECT_EQ(closed_hops({16, 4}, whole("mesh:4x4x4")), 1);
  EXPECT_EQ(closed_hops({-16}, whole("mesh:8x2")), 1);
  EXPECT_EQ(closed_hops({-12, 5}, whole("mesh:5x2x6")), 1);
}

/// What is on a node costs nothing.
TEST(ClosedForms, FillNodesWithSeveralSlots) {
  machine::Allocation allocation = whole("torus:5x4");
  const std::vector<topology::Place> nodes = allocation.slots;
  allocation.slots.insert(allocation.slots.end(), nodes.begin(), nodes.end());
  EXPECT_DOUBLE_EQ(closed_hops({2, -5, 4}, allocation), 70.0 / 90);
}

/// 1.5 hops per byte are the optimum, by Harper's isoperimetric inequality.
TEST(ClosedForms, AreOptimalForAHypercubeOnACube) {
  EXPECT_EQ(closed_hops({2, 2, 2, 2, 2, 2}, cube(4)), 1.5);
}

/// Rows and columns of an FFT in pencils: each row on a line or a square of nodes of its own.
TEST(ClosedForms, KeepCliquesTogether) {
  EXPECT_DOUBLE_EQ(closed_hops({104, 104}, whole("mesh:4x4")), 10.0 / 6);
  EXPECT_LE(closed_hops({116, 104}, whole("torus:4x4x4")), 2.1);
}

} // namespace
} // namespace thalweg::place
