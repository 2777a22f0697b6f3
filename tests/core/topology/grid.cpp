// SPDX-License-Identifier: BSD-3-Clause
#include "topology/grid.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>
#include <queue>

namespace thalweg::topology {
namespace {

/// Hops from a place to all others, by going over links.
std::vector<std::int64_t> reached(const Grid& grid, Place from) {
  std::vector<std::int64_t> hops(static_cast<std::size_t>(grid.places()), -1);
  std::queue<Place> open;
  hops[static_cast<std::size_t>(from)] = 0;
  for (open.push(from); !open.empty(); open.pop())
    for (std::size_t dimension = 0; dimension < grid.dimensions(); ++dimension)
      for (const std::int32_t step : {-1, 1}) {
        const Place to = grid.neighbor(open.front(), dimension, step);
        if (to >= 0 && hops[static_cast<std::size_t>(to)] < 0) {
          hops[static_cast<std::size_t>(to)] = hops[static_cast<std::size_t>(open.front())] + 1;
          open.push(to);
        }
      }
  return hops;
}

TEST(Grid, HopsAreTheShortestWalksOverItsLinks) {
  for (const char* name : {"torus:5", "mesh:6", "torus:4x3", "mesh:4x3", "torus:2x2x2", "torus:1x4",
                           "mesh:2x3x2x2", "torus:3x4x2x3"}) {
    const Grid grid = parse_grid(name);
    EXPECT_EQ(grid.name(), name);
    std::int64_t furthest = 0;
    for (Place from = 0; from < grid.places(); ++from) {
      const std::vector<std::int64_t> hops = reached(grid, from);
      for (Place to = 0; to < grid.places(); ++to) {
        EXPECT_EQ(grid.hops(from, to), hops[static_cast<std::size_t>(to)])
            << name << ' ' << from << ' ' << to;
        furthest = std::max(furthest, grid.hops(from, to));
      }
    }
    EXPECT_EQ(grid.diameter(), furthest) << name;
  }
}

TEST(Grid, ManyPlacesCostNothing) {
  const Grid grid = parse_grid("torus:1000000x1000000");
  EXPECT_EQ(grid.places(), 1'000'000'000'000);
  EXPECT_EQ(grid.hops(0, grid.places() - 1), 2);
  EXPECT_EQ(grid.diameter(), 1'000'000);
}

TEST(Grid, RefusesWhatItIsNot) {
  for (const char* text : {"", "torus", "torus:", "torus:0x2", "torus:4x", "mesh:-1", "cube:4", "torus:4x4 ",
                           "4x4", "torus:2000000000x2000000000x2"})
    EXPECT_THROW(parse_grid(text), Error) << text;
  EXPECT_THROW(Grid({}, true), Error);
}

} // namespace
} // namespace thalweg::topology
