// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What travels along a tree's edge in gather and scatter: the blocks of a subtree's ranks.
//
// An *item* is one piece of one rank's unit. A subtree's items stand in the order of its ranks (relative to
// the root), the subtree's own root first. With `segment` set, an edge's items go as several messages of a
// like number of items, so that ranks between can pass on what has come while more is coming.
//
// Where subtrees are no runs of ranks, the blocks of a whole subtree go as one message.

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"
#include "strategies/strategy.hpp"
#include "strategies/tree_steps.hpp"
#include "topology/tree.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace thalweg::strategies {

class SubtreeItems {
public:
  /// The subtree of a relative rank.
  SubtreeItems(const Problem& problem, topology::TreeShape shape, Rank relative_rank, std::int32_t pieces);

  std::int64_t size() const { return size_; }
  /// How many messages they go in, and where message m begins.
  std::int64_t messages() const { return ceil_divide(size_, per_message_); }
  std::int64_t begin(std::int64_t message) const { return std::min(size_, message * per_message_); }
  /// The message that the item at a position is in.
  std::int64_t message_of(std::int64_t position) const { return position / per_message_; }
  /// Position of an item of the subtree.
  std::int64_t position(std::int64_t item) const;

  /// Calls `visit(first item, count)` for the runs of neighboring items of a message. Item = relative rank *
  /// pieces + piece.
  template <typename Visit>
  void for_each_run(std::int64_t message, Visit&& visit) const {
    THALWEG_ASSERT(normal, message >= 0 && message < messages());
    std::int64_t skipped = 0;
    for (const auto& [first, end] : intervals_) {
      const std::int64_t count = (end - first) * pieces_;
      const std::int64_t from = std::max(begin(message), skipped);
      const std::int64_t to = std::min(begin(message + 1), skipped + count);
      if (from < to)
        visit(first * pieces_ + from - skipped, to - from);
      skipped += count;
    }
  }

private:
  std::vector<std::pair<std::int64_t, std::int64_t>> intervals_; ///< half-open, of relative ranks
  std::int64_t pieces_;
  std::int64_t size_ = 0;
  std::int64_t per_message_ = 1;
};

/// Where a rank keeps its subtree's items: its own unit in the buffer `own`, the others' in scratch; the root
/// all of them in the buffer `all`.
class SubtreeMemory {
public:
  SubtreeMemory(Builder& builder, const SubtreeItems& items, schedule::Buffer own, schedule::Buffer all);

  /// The blocks of message `message` of this rank's subtree, or of one below it.
  schedule::BlockList blocks(const SubtreeItems& moved, std::int64_t message) const;

private:
  void append(std::int64_t item, std::int64_t count, schedule::BlockList& list) const;

  const Builder& builder_;
  const SubtreeItems& items_;
  schedule::Buffer own_;
  schedule::Buffer all_;
  std::int64_t scratch_ = 0;
};

/// The steps of which each message has to wait, without repetitions in a row.
class MessageNeeds {
public:
  explicit MessageNeeds(const SubtreeItems& items)
      : items_(items), after_(static_cast<std::size_t>(items.messages())) {}
  /// The `count` items from `item` on are there when `step` has finished.
  void add(std::int64_t item, std::int64_t count, schedule::StepId step);
  const schedule::After& of(std::int64_t message) const { return after_[static_cast<std::size_t>(message)]; }

private:
  const SubtreeItems& items_;
  std::vector<schedule::After> after_;
};

/// Gather and scatter along trees of that shape: all that both have in common. Their parameters are the
/// shape's, and `segment`, here the most bytes of a message, which also cuts units that are larger.
Strategy tree_messages(Operation operation, topology::TreeShape shape, std::string_view summary,
                       void (*append)(Builder&, topology::TreeShape));

/// The ranks below a rank and itself, which comes first; the same on all ranks that ask.
using SubtreeOf = std::function<std::vector<Rank>(Rank)>;

/// Gathers at the problem's root. Inner ranks keep what is not their own in scratch.
void append_gather(Builder& builder, const topology::TreeNode& node, const SubtreeOf& subtree_of);
/// Scatters from the problem's root, in the same way.
void append_scatter(Builder& builder, const topology::TreeNode& node, const SubtreeOf& subtree_of);

} // namespace thalweg::strategies
