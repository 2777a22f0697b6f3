// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "strategies/subtree_items.hpp"

namespace thalweg::strategies::gather {

/// Gathers up the tree of that shape over relative ranks. Inner ranks keep their subtree's blocks in scratch,
/// each written once, and pass a message on when the last of its blocks is there.
void append_tree(Builder& builder, topology::TreeShape shape);

} // namespace thalweg::strategies::gather
