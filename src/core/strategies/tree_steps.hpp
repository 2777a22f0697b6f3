// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the tree strategies have in common: their shapes' parameters, a rank's place in the tree that stands
// at the problem's root, and what travels along it: pieces down, operands up, both, or tokens.

#include "base/assertion.hpp"
#include "strategies/strategy.hpp"
#include "topology/tree.hpp"

#include <vector>

namespace thalweg::strategies {

/// The parameter that says how wide trees of that shape are (radix, degree, chains), none for chain and flat.
std::vector<Parameter> degree_parameters(topology::TreeShape shape);
/// Those, `segment` with its standard, and `window`.
std::vector<Parameter> pipeline_parameters(topology::TreeShape shape, std::int64_t segment_bytes);

/// The problem's value of the shape's parameter, 1 where it has none.
std::int32_t degree(const Problem& problem, topology::TreeShape shape);

/// The rank's place in the tree over relative ranks (rank - root) mod P, with parent and children as ranks.
topology::TreeNode rooted_node(const Builder& builder, topology::TreeShape shape);
/// The same where the tree itself is known: node 0 is the root.
topology::TreeNode rooted(topology::TreeNode node, const Problem& problem);

inline Rank relative(const Problem& problem, Rank rank) {
  THALWEG_ASSERT(normal, rank >= 0 && rank < problem.ranks);
  return (rank - problem.root + problem.ranks) % problem.ranks;
}
inline Rank absolute(const Problem& problem, Rank relative_rank) {
  THALWEG_ASSERT(normal, relative_rank >= 0 && relative_rank < problem.ranks);
  return static_cast<Rank>((std::int64_t{relative_rank} + problem.root) % problem.ranks);
}

/// Sends pieces down one tree: each is received from the parent and passed to the children as soon as it is
/// there. A rank has at most `window` pieces under way: what begins piece k waits for what ends piece k -
/// window.
class PipelineDown {
public:
  PipelineDown(Builder& builder, topology::TreeNode place, std::int64_t window);

  /// Appends the steps of one piece; both ends of an edge must append the pieces in the same order.
  void append(std::int32_t piece);

private:
  Builder& builder_;
  topology::TreeNode place_;
  std::vector<schedule::After> under_way_; ///< last steps of the latest `window` pieces, a ring
  std::size_t next_ = 0;
};

/// A rank's place in a tree along which operands are combined.
struct CombinePlace {
  struct Child {
    Rank rank;
    schedule::Side side; ///< where its subtree's operands stand relative to those combined before
  };
  Rank parent = -1;
  std::vector<Child> children = {}; ///< in the order in which they are combined
};

/// The place in the tree over relative ranks, for operators that commute: small subtrees are combined first.
CombinePlace commutative_place(const topology::TreeNode& node);

/// Combines pieces up one tree. A rank has at most `window` pieces under way: what begins piece k waits for
/// what ends piece k - window. Inner ranks combine in scratch, the root in its output.
class PipelineUp {
public:
  PipelineUp(Builder& builder, CombinePlace place, std::int64_t window);

  /// Appends the steps of one piece; both ends of an edge must append the pieces in the same order.
  void append(std::int32_t piece);

private:
  Builder& builder_;
  CombinePlace place_;
  std::int32_t scratch_ = 0;
  std::vector<schedule::StepId> under_way_; ///< last steps of the latest `window` pieces, a ring
  std::size_t next_ = 0;
};

/// One tree of an all-reduce: sums go up piece by piece and results come down behind them, combined in the
/// output. For operators that commute. A rank has at most `window` pieces under way. Both ends of an edge
/// append the same pieces and directions in the same order.
class UpAndDown {
public:
  UpAndDown(Builder& builder, topology::TreeNode node);

  void up(std::int32_t piece);
  void down(std::int32_t piece);

private:
  Builder& builder_;
  topology::TreeNode node_;
  std::vector<schedule::StepId> under_way_; ///< last steps of the latest pieces, a ring
};

/// Tokens up a tree: when this has finished at its root, all have entered. Then waits for the next round.
void append_arrival(Builder& builder, const topology::TreeNode& node);
/// Tokens down the tree: when one has come, all may leave.
void append_release(Builder& builder, const topology::TreeNode& node);

} // namespace thalweg::strategies
