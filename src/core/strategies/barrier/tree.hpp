// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "strategies/tree_parameters.hpp"

namespace thalweg::strategies::barrier {

/// Tokens up a tree: when this has finished at its root, all have entered. Then waits for the next round.
void append_arrival(Builder& builder, const topology::TreeNode& node);
/// Tokens down the tree: when one has come, all may leave.
void append_release(Builder& builder, const topology::TreeNode& node);

/// Both, over the tree of that shape at rank 0.
void append_tree(Builder& builder, topology::TreeShape shape);

} // namespace thalweg::strategies::barrier
