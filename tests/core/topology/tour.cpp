// SPDX-License-Identifier: BSD-3-Clause
#include "topology/tour.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace thalweg::topology {

namespace {

std::vector<Place> all_places(const Grid& grid) {
  std::vector<Place> places(static_cast<std::size_t>(grid.places()));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

/// The sum of hops from each place of the order to the one `apart` behind it, for each pair.
double mean_hops(const Grid& grid, const std::vector<std::int32_t>& order, std::size_t apart) {
  std::int64_t total = 0;
  for (std::size_t i = apart; i < order.size(); ++i)
    total += grid.hops(order[i - apart], order[i]);
  return static_cast<double>(total) / static_cast<double>(order.size() - apart);
}

class EveryBox : public testing::TestWithParam<std::vector<std::int32_t>> {};

TEST_P(EveryBox, IsVisitedOnce) {
  const Grid grid(GetParam(), false);
  std::vector<std::int32_t> order = hilbert_order(grid, all_places(grid));
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i)
    EXPECT_EQ(order[i], static_cast<std::int32_t>(i));
}

TEST_P(EveryBox, IsCrossedWithoutJumpsWhereItsSidesArePowersOfTwo) {
  const Grid grid(GetParam(), false);
  const std::vector<std::int32_t> order = hilbert_order(grid, all_places(grid));
  if (order.size() < 2)
    return;
  const bool powers =
      std::ranges::all_of(GetParam(), [](std::int32_t side) { return (side & (side - 1)) == 0; });
  const double mean = mean_hops(grid, order, 1);
  if (powers)
    EXPECT_EQ(mean, 1.0);
  else
    EXPECT_LE(mean, 1.6);
}

INSTANTIATE_TEST_SUITE_P(Boxes, EveryBox,
                         testing::Values(std::vector{1}, std::vector{7}, std::vector{64},
                                         std::vector{1, 1, 1}, std::vector{2, 2}, std::vector{16, 16},
                                         std::vector{64, 2}, std::vector{2, 64}, std::vector{1, 32, 4},
                                         std::vector{3, 5}, std::vector{25, 13}, std::vector{8, 8, 8},
                                         std::vector{16, 2, 4}, std::vector{128, 2, 2},
                                         std::vector{25, 32, 24}, std::vector{3, 3, 3},
                                         std::vector{100, 3, 2}, std::vector{4, 4, 4, 4},
                                         std::vector{8, 2, 4, 2}, std::vector{6, 5, 6, 2, 3, 2},
                                         std::vector{2, 2, 2, 2, 2, 2, 2, 2}, std::vector{5, 4, 3, 2, 1}));

/// Some places of a grid in any order, some of them twice.
std::vector<Place> random_places(const Grid& grid, std::mt19937& random) {
  std::vector<Place> all(static_cast<std::size_t>(grid.places()));
  std::iota(all.begin(), all.end(), 0);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(1 + random() % all.size());
  const std::size_t twice = random() % (all.size() + 1);
  all.insert(all.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(twice));
  return all;
}

bool are_neighbors(const Grid& grid, Place a, Place b) {
  return grid.hops(a, b) <= 1;
}

class EveryGrid : public testing::TestWithParam<const char*> {};

TEST_P(EveryGrid, ToursVisitEachIndexOnceAndPlacesAtOnce) {
  const Grid grid = parse_grid(GetParam());
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const std::vector<Place> places = random_places(grid, random);
    const std::vector<std::int32_t> order = tour(grid, places);
    std::vector<std::int32_t> sorted = order;
    std::ranges::sort(sorted);
    std::vector<std::int32_t> all(places.size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(sorted, all);
    std::vector<Place> visited;
    for (const std::int32_t index : order)
      if (visited.empty() || visited.back() != places[static_cast<std::size_t>(index)])
        visited.push_back(places[static_cast<std::size_t>(index)]);
    std::ranges::sort(visited);
    EXPECT_EQ(std::ranges::adjacent_find(visited), visited.end()) << "seed " << seed;
  }
}

TEST_P(EveryGrid, PiecesHangTogetherAndApart) {
  const Grid grid = parse_grid(GetParam());
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const std::vector<Place> places = random_places(grid, random);
    std::vector<std::size_t> piece_of(places.size(), places.size());
    const std::vector<std::vector<std::int32_t>> found = pieces(grid, places);
    for (std::size_t piece = 0; piece < found.size(); ++piece)
      for (const std::int32_t index : found[piece])
        piece_of[static_cast<std::size_t>(index)] = piece;
    std::size_t joins = 0; // a piece of n places needs n - 1
    for (std::size_t a = 0; a < places.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (are_neighbors(grid, places[a], places[b])) {
          EXPECT_EQ(piece_of[a], piece_of[b]);
          ++joins;
        }
    EXPECT_EQ(std::ranges::count(piece_of, places.size()), 0);
    EXPECT_GE(joins, places.size() - found.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, EveryGrid,
                         testing::Values("torus:5", "mesh:9", "torus:6x5", "mesh:4x4", "torus:3x4x5",
                                         "mesh:2x2x2x2", "torus:1x1"));

TEST(Tour, GoesThroughPiecesOneAfterTheOther) {
  const Grid grid = parse_grid("mesh:32x32");
  std::vector<Place> places;
  for (const Place corner : {0, 24, 24 * 32, 24 * 32 + 24})
    for (Place y = 0; y < 8; ++y)
      for (Place x = 0; x < 8; ++x)
        places.push_back(corner + y * 32 + x);
  EXPECT_EQ(pieces(grid, places).size(), 4U);
  EXPECT_LE(tour_hops(grid, places, tour(grid, places)), 4 * 63 + 3 * 40);
}

TEST(Tour, APieceMayGoAroundATorus) {
  const Grid grid = parse_grid("torus:16x16");
  std::vector<Place> places;
  for (const Place y : {14, 15, 0, 1})
    for (const Place x : {14, 15, 0, 1})
      places.push_back(y * 16 + x);
  EXPECT_EQ(pieces(grid, places).size(), 1U);
  EXPECT_EQ(tour_hops(grid, places, tour(grid, places)), 15);
}

TEST(Tour, NothingIsATourOfNothing) {
  EXPECT_TRUE(tour(parse_grid("torus:4x4"), {}).empty());
}

} // namespace

} // namespace thalweg::topology
