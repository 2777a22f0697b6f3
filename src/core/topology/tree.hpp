// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Spanning trees over ranks 0 .. size-1 with the root at 0 (callers rotate ranks so that theirs is 0).

#include "topology/tree_node.hpp"

#include <string_view>
#include <vector>

namespace thalweg::topology {

enum class TreeShape {
  kary,    ///< node n's children are k n + 1 .. k n + k (Zhang 2002: the binary tree on relative ranks)
  knomial, ///< k-nomial; k = 2 is the binomial tree. A node's subtree is the ranks n .. n + k^level - 1
  chain,   ///< 0 - 1 - 2 - ..
  flat,    ///< all others are the root's children
  fork,    ///< k chains under the root
  bine,    ///< topology/bine.hpp; where nodes are no power of two, some stand with a neighbor in one place
};

/// The place of `node` in the tree of that shape; `degree` is k (not used by chain, flat and bine).
/// O(children).
TreeNode tree_node(TreeShape shape, std::int32_t size, std::int32_t degree, Rank node);

/// The nodes of the subtree below and including `node`, as half-open intervals of ranks in ascending order.
std::vector<std::pair<Rank, Rank>> subtree(TreeShape shape, std::int32_t size, std::int32_t degree,
                                           Rank node);

} // namespace thalweg::topology
