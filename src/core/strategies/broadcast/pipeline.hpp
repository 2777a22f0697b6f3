// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "strategies/tree_parameters.hpp"

namespace thalweg::strategies::broadcast {

/// Sends pieces down one tree: each is received from the parent and passed to the children as soon as it is
/// there. A rank has at most `window` pieces under way: what begins piece k waits for what ends piece k -
/// window.
class Pipeline {
public:
  Pipeline(Builder& builder, topology::TreeNode place, std::int64_t window);

  /// Appends the steps of one piece; both ends of an edge must append the pieces in the same order.
  void append(std::int32_t piece);

private:
  Builder& builder_;
  topology::TreeNode place_;
  std::vector<schedule::After> under_way_; ///< last steps of the latest `window` pieces, a ring
  std::size_t next_ = 0;
};

/// All pieces down the tree of that shape, with the problem's parameters.
void append_tree(Builder& builder, topology::TreeShape shape);

} // namespace thalweg::strategies::broadcast
