// SPDX-License-Identifier: BSD-3-Clause
#include "topology/tree.hpp"

#include "base/arithmetic.hpp"

#include <gtest/gtest.h>
#include <set>

namespace thalweg::topology {

namespace {

std::set<Rank> reachable(TreeShape shape, std::int32_t size, std::int32_t degree, Rank node) {
  std::set<Rank> found{node};
  for (const Rank child : tree_node(shape, size, degree, node).children)
    found.merge(reachable(shape, size, degree, child));
  return found;
}

TEST(Tree, ChildrenAndParentsAgreeAndSubtreesAreWhatIsReachable) {
  for (const TreeShape shape : {TreeShape::kary, TreeShape::knomial, TreeShape::chain, TreeShape::flat,
                                TreeShape::fork, TreeShape::bine})
    for (std::int32_t size = 1; size <= 64; ++size)
      for (const std::int32_t degree : {2, 3, 4, 8})
        for (Rank node = 0; node < size; ++node) {
          const TreeNode place = tree_node(shape, size, degree, node);
          EXPECT_EQ(place.parent == -1, node == 0);
          for (const Rank child : place.children)
            EXPECT_EQ(tree_node(shape, size, degree, child).parent, node);
          std::set<Rank> listed;
          for (const auto& [first, end] : subtree(shape, size, degree, node))
            for (Rank rank = first; rank < end; ++rank)
              EXPECT_TRUE(listed.insert(rank).second);
          EXPECT_EQ(listed, reachable(shape, size, degree, node)) << size << ' ' << degree << ' ' << node;
        }
}

TEST(Bine, DistancesAreTheAlternatingSums) {
  EXPECT_EQ((std::vector{bine_distance(0), bine_distance(1), bine_distance(2), bine_distance(3),
                         bine_distance(4), bine_distance(5)}),
            (std::vector{0, 1, -1, 3, -5, 11}));
}

TEST(Bine, TheTreeOfEightIsThePapers) {
  EXPECT_EQ(bine_node(3, 0).children, (std::vector<Rank>{3, 7, 1}));
  EXPECT_EQ(bine_node(3, 3).children, (std::vector<Rank>{4, 2}));
  EXPECT_EQ(bine_node(3, 4).children, (std::vector<Rank>{5}));
  EXPECT_EQ(bine_node(3, 7).children, (std::vector<Rank>{6}));
  EXPECT_EQ(bine_subtree(3, 3), (std::pair<Rank, Rank>{2, 6}));
  EXPECT_EQ(bine_subtree(3, 7), (std::pair<Rank, Rank>{6, 8}));
}

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
