// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Bine trees (binomial negabinary): binomial trees whose edges alternate direction, so that distances are a
// third of a binomial tree's and fewer messages cross between groups of neighboring nodes (De Sensi,
// Pichetti, Domke et al. 2025, distance-halving form). Every subtree is an interval of places round the ring.

#include "topology/tree_node.hpp"

#include <utility>

namespace thalweg::topology {

/// 1 - 2 + 4 - .. of `terms` terms: 0, 1, -1, 3, -5, 11, ..: an edge's length, to the right from even places
/// and to the left from odd ones.
std::int32_t bine_distance(int terms);

/// The place of a node in the tree over 0 .. 2^digits - 1, rooted at 0; children in the order of sending,
/// furthest first.
TreeNode bine_node(int digits, Rank node);

/// The nodes below and including `node`, as an interval (without going round: only the whole tree does).
std::pair<Rank, Rank> bine_subtree(int digits, Rank node);

} // namespace thalweg::topology
