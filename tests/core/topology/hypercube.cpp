// SPDX-License-Identifier: BSD-3-Clause
#include "topology/hypercube.hpp"

#include <gtest/gtest.h>
#include <set>

namespace thalweg::topology {
namespace {

class EveryHypercube : public testing::TestWithParam<std::int32_t> {
protected:
  template <typename Check>
  void for_each_cube(Check&& check) {
    for (std::int32_t ranks = 1; ranks <= 130; ++ranks) {
      SCOPED_TRACE(ranks);
      check(Hypercube(ranks, GetParam()));
    }
  }
};

TEST_P(EveryHypercube, FoldsWhatDoesNotFit) {
  for_each_cube([](const Hypercube& cube) {
    EXPECT_EQ(cube.nodes(), cube.distance(cube.dimensions()));
    EXPECT_LE(cube.nodes(), cube.ranks());
    EXPECT_GT(std::int64_t{cube.nodes()} * cube.radix(), cube.ranks());
    EXPECT_LE(cube.layers(), cube.radix());
    std::set<Rank> found;
    for (std::int32_t layer = 0; layer < cube.layers(); ++layer)
      for (Rank node = 0; node < cube.nodes(); ++node)
        for (std::int32_t i = 0; i < cube.count_in_layer(node, 1, layer); ++i) {
          EXPECT_EQ(cube.node_of(layer * cube.nodes() + node), node);
          found.insert(layer * cube.nodes() + node);
        }
    EXPECT_EQ(static_cast<std::int32_t>(found.size()), cube.ranks());
    EXPECT_EQ(*found.rbegin(), cube.ranks() - 1);
  });
}

TEST_P(EveryHypercube, HasNeighborsThatDifferInOneDigit) {
  for_each_cube([](const Hypercube& cube) {
    for (Rank node = 0; node < cube.nodes(); ++node)
      for (std::int32_t stage = 0; stage < cube.dimensions(); ++stage)
        for (std::int32_t k = 1; k < cube.radix(); ++k) {
          const Rank other = cube.neighbor(node, stage, k);
          EXPECT_NE(other, node);
          EXPECT_EQ(cube.neighbor(other, stage, cube.radix() - k), node);
          EXPECT_EQ(cube.group(other, stage + 1), cube.group(node, stage + 1));
          EXPECT_NE(cube.group(other, stage), cube.group(node, stage));
          EXPECT_EQ(other % cube.distance(stage), node % cube.distance(stage));
        }
  });
}

INSTANTIATE_TEST_SUITE_P(Radices, EveryHypercube, testing::Values(2, 3, 4, 5, 8, 200));

} // namespace
} // namespace thalweg::topology
