// SPDX-License-Identifier: BSD-3-Clause
#include "stream/candidate_shapes.hpp"

#include "nodes_of.hpp"
#include "stream/item_route.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace thalweg::streams {
namespace {

TEST(CandidateShapes, AllHoldAllRanksAndNoneComesTwice) {
  for (std::int32_t ranks = 1; ranks <= 300; ++ranks)
    for (const std::int32_t on_node : {1, 2, 3, 4, 7, 8, 16, 300}) {
      const std::vector<Shape> shapes = candidate_shapes(nodes_of(ranks, on_node));
      ASSERT_FALSE(shapes.empty());
      for (std::size_t number = 0; number < shapes.size(); ++number) {
        // The parser refuses what is no mesh of so many ranks.
        EXPECT_EQ(parse_shape(to_text(shapes[number]), ranks), shapes[number]) << ranks << ", " << on_node;
        for (std::size_t other = 0; other < number; ++other)
          EXPECT_NE(shapes[number], shapes[other]) << ranks << ", " << on_node;
      }
    }
}

TEST(CandidateShapes, FewRanksNeedNoMesh) {
  EXPECT_EQ(candidate_shapes(nodes_of(8, 2)), std::vector<Shape>{{8}});
}

TEST(CandidateShapes, NodesComeFirst) {
  EXPECT_EQ(candidate_shapes(nodes_of(16, 2)), (std::vector<Shape>{{16}, {2, 8}, {4, 4}, {4, 2, 2}}));
  EXPECT_EQ(candidate_shapes(nodes_of(64, 8)).front(), (Shape{8, 8}));
}

TEST(CandidateShapes, NodesOfDifferentSizesHaveAMeshToo) {
  const std::vector<std::int32_t> nodes{0, 0, 0, 1, 1, 2, 2, 2, 3, 3};
  const std::vector<Shape> shapes = candidate_shapes(nodes);
  EXPECT_NE(std::ranges::find(shapes, Shape{3, 4}), shapes.end());
}

} // namespace
} // namespace thalweg::streams
