// SPDX-License-Identifier: BSD-3-Clause
#include "topology/tree.hpp"

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

} // namespace
} // namespace thalweg::topology
