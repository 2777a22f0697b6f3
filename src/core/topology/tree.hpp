// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Spanning trees over ranks 0 .. size-1 as index arithmetic: by shape, rooted at 0 (callers rotate ranks so
// that theirs is 0), Bine trees among them, and binary trees that are numbered in-order.

#include "base/rank.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace thalweg::topology {

/// One node's place in a tree.
struct TreeNode {
  Rank parent = -1; ///< -1 at the root
  /// In the order in which they should be served: the largest subtree first.
  std::vector<Rank> children = {};
};

enum class TreeShape {
  kary,    ///< node n's children are k n + 1 .. k n + k (Zhang 2002: the binary tree on relative ranks)
  knomial, ///< k-nomial; k = 2 is the binomial tree. A node's subtree is the ranks n .. n + k^level - 1
  chain,   ///< 0 - 1 - 2 - ..
  flat,    ///< all others are the root's children
  fork,    ///< k chains under the root
  bine,    ///< see below; where nodes are no power of two, some stand with a neighbor in one place
};

/// The place of `node` in the tree of that shape; `degree` is k (not used by chain, flat and bine).
/// O(children).
TreeNode tree_node(TreeShape shape, std::int32_t size, std::int32_t degree, Rank node);

/// The nodes of the subtree below and including `node`, as half-open intervals of ranks in ascending order.
std::vector<std::pair<Rank, Rank>> subtree(TreeShape shape, std::int32_t size, std::int32_t degree,
                                           Rank node);

// Bine trees (binomial negabinary): binomial trees whose edges alternate direction, so that distances are a
// third of a binomial tree's and fewer messages cross between groups of neighboring nodes (De Sensi,
// Pichetti, Domke et al. 2025, distance-halving form). Every subtree is an interval of places round the ring.

/// 1 - 2 + 4 - .. of `terms` terms: 0, 1, -1, 3, -5, 11, ..: an edge's length, to the right from even places
/// and to the left from odd ones.
std::int32_t bine_distance(int terms);

/// The place of a node in the tree over 0 .. 2^digits - 1, rooted at 0; children in the order of sending,
/// furthest first.
TreeNode bine_node(int digits, Rank node);

/// The nodes below and including `node`, as an interval (without going round: only the whole tree does).
std::pair<Rank, Rank> bine_subtree(int digits, Rank node);

// Binary trees whose numbering is in-order: every subtree is an interval of ranks, left of a node the lower
// ones.

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
