// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "strategies/subtree_items.hpp"

namespace thalweg::strategies::scatter {

/// Scatters down the tree of that shape over relative ranks. Inner ranks keep their subtree's blocks in
/// scratch, each written once, and pass a message on when the last of its blocks is there. The farthest
/// ranks' blocks go first.
void append_tree(Builder& builder, topology::TreeShape shape);

} // namespace thalweg::strategies::scatter
