// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Binary trees whose numbering is in-order: every subtree is an interval of ranks, left of a node the lower
// ones.

#include "topology/tree.hpp"

#include <array>

namespace thalweg::topology {

struct InorderNode {
  Rank parent = -1; ///< -1 at the root
  Rank left = -1;   ///< -1 where there is none
  Rank right = -1;
  Rank begin = 0; ///< the subtree is the ranks begin .. end-1
  Rank end = 0;
};

/// A node's place in the tree over 0 .. size-1 with the given root, in which each subtree below is rooted in
/// its middle. O(depth); depth <= 1 + ceil(log2(size)).
InorderNode inorder_node(std::int32_t size, Rank root, Rank node);

/// A node's places in two trees rooted at 0, each of depth <= 1 + ceil(log2(size)), such that a node other
/// than 0 has children in at most one of them: what a node takes in half a message it sends twice in the
/// other half, so both trees together use all links fully (Sanders, Speck, Traff 2009, section 3; the trees
/// are NCCL's). In both, 0 has one child.
std::array<TreeNode, 2> double_tree_node(std::int32_t size, Rank node);

} // namespace thalweg::topology
