// SPDX-License-Identifier: BSD-3-Clause
#include "place/outline.hpp"

#include "place/map.hpp"
#include "problems.hpp"

#include <gtest/gtest.h>
#include <set>

namespace thalweg::place {
namespace {

/// A step in up to three dimensions of a box of this side, under a numbering: those in one, two and three
/// dimensions have so many bytes.
std::vector<pattern::Edge> points(std::int32_t side, const Numbers& number,
                                  const std::array<double, 3>& bytes) {
  std::vector<pattern::Edge> edges;
  const auto at = [&](std::int32_t x, std::int32_t y, std::int32_t z) {
    return number[static_cast<std::size_t>(x + side * (y + side * z))];
  };
  const auto is_inside = [&](std::int32_t x) { return x >= 0 && x < side; };
  for (std::int32_t place = 0; place < side * side * side; ++place)
    for (std::int32_t step = 0; step < 27; ++step) {
      const std::int32_t x = place % side;
      const std::int32_t y = place / side % side;
      const std::int32_t z = place / side / side;
      const Numbers to{x + step % 3 - 1, y + step / 3 % 3 - 1, z + step / 9 - 1};
      const int apart = std::abs(to[0] - x) + std::abs(to[1] - y) + std::abs(to[2] - z);
      if (apart > 0 && bytes[static_cast<std::size_t>(apart - 1)] > 0 && std::ranges::all_of(to, is_inside))
        edges.push_back(
            {at(x, y, z), at(to[0], to[1], to[2]), bytes[static_cast<std::size_t>(apart - 1)], 1});
    }
  return edges;
}

double hops_of(std::int32_t side, std::vector<pattern::Edge> edges) {
  const std::int32_t tasks = side * side * side;
  machine::Allocation allocation = whole("mesh:8x8x8");
  std::erase_if(allocation.slots, [&](topology::Place place) {
    return place % 8 >= side || place / 8 % 8 >= side || place / 64 >= side;
  });
  return map({tasks, {{"", 1, {tasks, std::move(edges)}}}}, allocation, {.proposals = 1000})
      .placed.hops_per_byte;
}

TEST(Outline, FindsAStencilBesideATreeOfFewBytes) {
  std::mt19937 random(41);
  const Numbers number = shuffled(random, 216);
  auto edges = points(6, number, {1000, 0, 0});
  for (std::int32_t task = 1; task < 216; ++task)
    edges.push_back({task, task & (task - 1), 8, 1});
  EXPECT_LE(hops_of(6, edges), 1.02);
}

TEST(Outline, FindsAStencilBetweenEdgesThatCrossIt) {
  std::mt19937 random(42);
  const Numbers number = shuffled(random, 512);
  auto edges = points(8, number, {1000, 0, 0});
  const std::size_t crossing = edges.size() / 200;
  for (std::size_t count = 0; count < crossing; ++count)
    edges.push_back(
        {static_cast<std::int32_t>(random() % 512), static_cast<std::int32_t>(random() % 512), 1000, 1});
  EXPECT_LE(hops_of(8, edges), 1.06);
}

TEST(Outline, FindsAStencilWithoutSomeOfItsEdges) {
  std::mt19937 random(43);
  const Numbers number = shuffled(random, 512);
  auto edges = points(8, number, {1000, 0, 0});
  for (const std::size_t lost : {std::size_t{1}, edges.size() / 50}) {
    auto left = edges;
    for (std::size_t count = 0; count < lost; ++count) {
      const pattern::Edge gone = left[random() % left.size()];
      std::erase_if(left, [&](const pattern::Edge& edge) {
        return (edge.from == gone.from && edge.to == gone.to) ||
               (edge.from == gone.to && edge.to == gone.from);
      });
    }
    EXPECT_LE(hops_of(8, left), 1.01) << lost;
  }
}

/// As they are numbered along the box, hops are those of faces, edges and corners.
TEST(Outline, FindsStencilsWithDiagonals) {
  std::mt19937 random(44);
  const Numbers number = shuffled(random, 216);
  Numbers in_order(216);
  std::iota(in_order.begin(), in_order.end(), 0);
  for (const auto& bytes : {std::array{1.0, 1.0, 1.0}, std::array{100.0, 10.0, 1.0}})
    EXPECT_LE(hops_of(6, points(6, number, bytes)), 1.001 * hops_of(6, points(6, in_order, bytes)));
}

TEST(Outline, FindsAFlatStencilWithDiagonals) {
  std::mt19937 random(46);
  const Numbers number = shuffled(random, 64);
  Numbers in_order(512);
  std::iota(in_order.begin(), in_order.end(), 0);
  std::vector<pattern::Edge> edges = points(8, in_order, {1, 1, 0});
  std::erase_if(edges, [](const pattern::Edge& edge) { return edge.from >= 64 || edge.to >= 64; });
  for (pattern::Edge& edge : edges) {
    edge.from = number[static_cast<std::size_t>(edge.from)];
    edge.to = number[static_cast<std::size_t>(edge.to)];
  }
  const Result result = map({64, {{"", 1, {64, edges}}}}, whole("mesh:8x8"), {.proposals = 1000});
  EXPECT_EQ(result.placed.hop_bytes, 2 * 112 + 2 * 2 * 98); // steps and diagonals, both ways
}

TEST(Outline, OfWhatIsNoGridIsNothing) {
  std::vector<pattern::Edge> edges;
  std::mt19937 random(45);
  for (int count = 0; count < 600; ++count)
    edges.push_back(
        {static_cast<std::int32_t>(random() % 200), static_cast<std::int32_t>(random() % 200), 1, 1});
  EXPECT_FALSE(outlined(Graph({200, edges}, 200)));
  EXPECT_FALSE(outlined(Graph({5, {}}, 5)));
}

} // namespace
} // namespace thalweg::place
