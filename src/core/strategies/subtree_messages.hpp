// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Blocks up or down a tree, those of a whole subtree as one message: what gathers and scatters do on trees
// whose subtrees are no runs of ranks.

#include "strategies/strategy.hpp"
#include "topology/tree_node.hpp"

#include <functional>
#include <vector>

namespace thalweg::strategies {

/// The ranks below a rank and itself, which comes first; the same on all ranks that ask.
using SubtreeOf = std::function<std::vector<Rank>(Rank)>;

/// Gathers at the problem's root. Inner ranks keep what is not their own in scratch.
void append_gather(Builder& builder, const topology::TreeNode& node, const SubtreeOf& subtree_of);
/// Scatters from the problem's root, in the same way.
void append_scatter(Builder& builder, const topology::TreeNode& node, const SubtreeOf& subtree_of);

} // namespace thalweg::strategies
