// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the verifier's symbolic execution knows: what a block holds, which is a contribution or two values
// combined, and who is known to have entered a barrier.

#include "base/assertion.hpp"
#include "base/rank.hpp"
#include "schedule/schedule.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace thalweg::schedule {

using ValueId = std::int32_t;
inline constexpr ValueId unwritten = -1;

/// Hash-consed expressions over the ranks' contributions: equal ids mean equal expressions.
class ExpressionTable {
public:
  explicit ExpressionTable(std::int32_t ranks);

  /// Rank `origin`'s own value of block `block` (numbered as the caller likes).
  ValueId contribution(Rank origin, std::int64_t block);
  /// left (+) right; -1 if they stand for different blocks or share a contribution, which no correct schedule
  /// does.
  ValueId combined(ValueId left, ValueId right);

  Rank origin(ValueId id) const { return node(id).low; }
  std::int64_t block(ValueId id) const { return node(id).block; }
  bool is_contribution(ValueId id) const { return node(id).is_leaf; }
  /// Exactly the contributions begin .. end-1, each once.
  bool covers(ValueId id, Rank begin, Rank end) const;
  /// Operands stand in ascending, gapless order of rank: right also for operators that do not commute.
  bool in_rank_order(ValueId id) const { return node(id).ordered; }
  /// A number that an expression has in every table, so that those of two executions can be compared.
  std::uint64_t fingerprint(ValueId id) const { return node(id).fingerprint; }

private:
  struct Node {
    std::int64_t block = 0;
    Rank low = 0; ///< first contribution of the cyclic interval low, low+1, .. if `members` is empty
    std::int32_t count = 1;    ///< number of contributions
    std::int32_t members = -1; ///< index of a bit set when the contributions are no cyclic interval
    std::uint64_t fingerprint = 0;
    bool ordered = true;
    bool is_leaf = true;
  };
  using Bits = std::vector<std::uint64_t>;

  const Node& node(ValueId id) const {
    THALWEG_ASSERT(normal, id >= 0 && id < std::ssize(nodes_));
    return nodes_[static_cast<std::size_t>(id)];
  }
  bool follows(const Node& left, const Node& right) const;
  Bits bits(const Node& node) const;
  bool unite(const Node& left, const Node& right, Node& result);

  std::int32_t ranks_;
  std::vector<Node> nodes_;
  std::vector<Bits> sets_;
  std::unordered_map<std::uint64_t, ValueId> leaves_;
  std::unordered_map<std::uint64_t, ValueId> pairs_;
};

/// What a barrier promises: for each step of each rank, which ranks are known to have entered when it
/// finishes. Knowledge travels with messages only, and along stages and predecessors only, so it holds under
/// any timing.
class Arrivals {
public:
  explicit Arrivals(std::span<const Schedule> schedules);

  /// Tells of a step that has finished; for a receive, `sender` and `sender_step` say what it met. The
  /// verifier calls this in an order in which every step comes after those that it waits for.
  void finish(Rank rank, std::uint32_t step, Rank sender = -1, std::uint32_t sender_step = 0);
  /// Does `rank`, having finished everything, know that all have entered? Else a rank it does not know of; -1
  /// if all.
  Rank missing(Rank rank) const;

private:
  using Set = std::vector<std::uint64_t>;

  struct RankKnowledge {
    Set before_stage; ///< at the start of the stage at work
    Set after_stage;  ///< what the stage's finished steps add
    std::size_t stage = 0;
    std::vector<Set> of_step;
  };

  void advance(Rank rank, std::uint32_t step);
  Set at_start(Rank rank, std::uint32_t step);

  std::span<const Schedule> schedules_;
  std::vector<RankKnowledge> ranks_;
};

} // namespace thalweg::schedule
