// SPDX-License-Identifier: BSD-3-Clause
#include "topology/binary_trees.hpp"

#include "base/arithmetic.hpp"

#include <gtest/gtest.h>
#include <set>

namespace thalweg::topology {
namespace {

TEST(InorderTree, SubtreesAreTheIntervalsBetweenChildrenAndTheTreeIsLow) {
  for (std::int32_t size = 1; size <= 64; ++size)
    for (Rank root = 0; root < size; ++root)
      for (Rank node = 0; node < size; ++node) {
        const InorderNode place = inorder_node(size, root, node);
        EXPECT_EQ(place.parent == -1, node == root);
        EXPECT_EQ(place.left == -1, place.begin == node);
        EXPECT_EQ(place.right == -1, place.end == node + 1);
        if (place.left >= 0) {
          const InorderNode left = inorder_node(size, root, place.left);
          EXPECT_EQ(std::tuple(left.parent, left.begin, left.end), std::tuple(node, place.begin, node));
        }
        if (place.right >= 0) {
          const InorderNode right = inorder_node(size, root, place.right);
          EXPECT_EQ(std::tuple(right.parent, right.begin, right.end), std::tuple(node, node + 1, place.end));
        }
        int depth = 0;
        for (Rank up = place.parent; up >= 0; up = inorder_node(size, root, up).parent)
          ++depth;
        EXPECT_LE(depth, 1 + ceil_log(2, size));
      }
}

TEST(DoubleTree, BothTreesSpanAndNobodyIsInnerInBoth) {
  for (std::int32_t size = 1; size <= 64; ++size)
    for (const std::size_t tree : {0U, 1U}) {
      std::set<Rank> seen{0};
      std::vector<std::pair<Rank, int>> queue{{0, 0}};
      for (std::size_t i = 0; i < queue.size(); ++i) {
        const auto [node, depth] = queue[i];
        const auto places = double_tree_node(size, node);
        EXPECT_LE(places[tree].children.size(), node == 0 ? 1U : 2U);
        EXPECT_TRUE(node == 0 || places[0].children.empty() || places[1].children.empty())
            << size << ' ' << node;
        EXPECT_LE(depth, 1 + ceil_log(2, size));
        for (const Rank child : places[tree].children) {
          EXPECT_EQ(double_tree_node(size, child)[tree].parent, node);
          EXPECT_TRUE(seen.insert(child).second);
          queue.emplace_back(child, depth + 1);
        }
      }
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(size));
    }
}

} // namespace
} // namespace thalweg::topology
