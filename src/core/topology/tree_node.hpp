// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rank.hpp"

#include <vector>

namespace thalweg::topology {

/// One node's place in a tree.
struct TreeNode {
  Rank parent = -1; ///< -1 at the root
  /// In the order in which they should be served: the largest subtree first.
  std::vector<Rank> children = {};
};

} // namespace thalweg::topology
