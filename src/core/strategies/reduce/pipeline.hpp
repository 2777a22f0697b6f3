// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "strategies/tree_parameters.hpp"

namespace thalweg::strategies::reduce {

using schedule::Side;

/// A rank's place in a tree along which operands are combined.
struct Place {
  struct Child {
    Rank rank;
    Side side; ///< where its subtree's operands stand relative to those combined before
  };
  Rank parent = -1;
  std::vector<Child> children = {}; ///< in the order in which they are combined
};

/// The place in the tree over relative ranks, for operators that commute: small subtrees are combined first.
Place commutative_place(const topology::TreeNode& node);

/// The place in a tree in which every subtree is an interval of ranks that is combined in rank order: two
/// trees of that shape meet at the root, one over the ranks from it upwards, one mirrored over those
/// downwards. For shapes whose subtrees are intervals: all but k-ary.
Place rank_order_place(topology::TreeShape shape, std::int32_t degree, const Problem& problem, Rank rank);

/// Combines pieces up one tree. A rank has at most `window` pieces under way: what begins piece k waits for
/// what ends piece k - window. Inner ranks combine in scratch, the root in its output.
class Pipeline {
public:
  Pipeline(Builder& builder, Place place, std::int64_t window);

  /// Appends the steps of one piece; both ends of an edge must append the pieces in the same order.
  void append(std::int32_t piece);

private:
  Builder& builder_;
  Place place_;
  std::int32_t scratch_ = 0;
  std::vector<schedule::StepId> under_way_; ///< last steps of the latest `window` pieces, a ring
  std::size_t next_ = 0;
};

/// All pieces up the tree of that shape, with the problem's parameters; where the operator does not commute,
/// up the tree that keeps rank order.
void append_tree(Builder& builder, topology::TreeShape shape);

} // namespace thalweg::strategies::reduce
