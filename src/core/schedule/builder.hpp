// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The builder: strategies write schedules with it, in words that read like the papers' pseudo-code.
//
//   for (int k = 1; k < b.ranks(); ++k) {
//     b.round();
//     b.send(to(k), input(to(k)));
//     b.receive(from(k), output(from(k)));
//   }
//
// A builder may stand for a sub-group of ranks working on some of the blocks (subgroup()); what a strategy
// writes with it lands in the same schedule under the right names, so composed strategies are schedules like
// any other.

#include "schedule/schedule.hpp"

#include <initializer_list>
#include <memory>

namespace thalweg::schedule {

using StepId = std::uint32_t;
/// The steps of the current stage that must finish first. Ids of earlier stages, and `nothing`, are fine and
/// mean nothing.
using After = std::vector<StepId>;
/// What the builder returns for a step that turned out to have no blocks and was left out.
inline constexpr StepId nothing = 0xffffffffU;

/// A sub-group's collective as a stage of a larger one.
struct Subproblem {
  Problem problem;
  /// The members, as ranks of the enclosing builder; position = rank in the sub-group.
  std::vector<Rank> members;
  /// For each unit of the sub-problem's buffers the enclosing builder's blocks that it stands for. Units that
  /// this rank does not have (an output off the root) may be missing.
  std::vector<BlockList> input_units;
  std::vector<BlockList> output_units;
  /// Blocks as which the sub-problem's scratch is shaped, one entry for each canonical unit; empty:
  /// output_units, or if there are fewer of those, input_units.
  std::vector<BlockList> canonical_units = {};
  std::int32_t pieces = 1;
};

class Builder {
public:
  /// Begins rank `rank`'s schedule for a problem whose units are cut into `pieces`.
  Builder(const Problem& problem, Rank rank, std::int32_t pieces);

  const Problem& problem() const { return problem_; }
  Rank rank() const { return rank_; }
  std::int32_t ranks() const { return problem_.ranks; }
  Rank root() const { return problem_.root; }
  std::int32_t pieces() const { return pieces_; }
  std::int64_t parameter(std::string_view name) const { return problem_.parameter(name); }
  /// Number of this problem's canonical blocks (schedule/buffers.hpp): of a whole vector, or of all ranks'
  /// units.
  std::int32_t canonical() const;

  /// Everything added from here on starts after everything added so far has finished.
  void round();

  /// Messages of no blocks, and those with a negative rank (no neighbor on that side), are left out.
  StepId send(Rank to, const BlockList& blocks, const After& after = {}) {
    return message(StepKind::send, Side::left, to, blocks, after);
  }
  StepId receive(Rank from, const BlockList& blocks, const After& after = {}) {
    return message(StepKind::receive, Side::left, from, blocks, after);
  }
  /// Combines what comes with the blocks; `incoming` says on which side of the operator the message stands.
  StepId receive_combine(Rank from, const BlockList& blocks, Side incoming, const After& after = {}) {
    return message(StepKind::receive_combine, incoming, from, blocks, after);
  }
  /// Left out where both are the same memory, as a rank's own block is in place.
  StepId copy(const BlockList& from, const BlockList& to, const After& after = {});
  /// from (+) into -> into, `from` standing on the side given.
  StepId combine(const BlockList& from, const BlockList& into, Side from_stands, const After& after = {});

  /// Tokens: messages of no bytes, for synchronization only.
  StepId send_token(Rank to, const After& after = {});
  StepId receive_token(Rank from, const After& after = {});

  /// Takes `blocks` more blocks of scratch and returns the first one's number. In operations on vectors block
  /// s of scratch is as large as canonical block s mod canonical(), so ask for multiples of canonical()
  /// there.
  std::int32_t scratch_blocks(std::int32_t blocks);

  /// A builder for a sub-group that this rank is a member of; it writes into this builder's schedule.
  Builder subgroup(const Subproblem& sub) const;

  /// The finished schedule. The builder (and any subgroup builder) is spent afterwards.
  Schedule finish();

private:
  struct Recording {
    Schedule schedule;
    Problem problem;
    std::uint32_t stage_begin = 0;
  };
  /// How a sub-builder's ranks and blocks are called in the root's problem.
  struct Renaming {
    std::vector<Rank> members;
    std::vector<BlockList> input_blocks;
    std::vector<BlockList> output_blocks;
    std::vector<BlockList> canonical;
    std::vector<BlockList> scratch;
  };

  StepId message(StepKind kind, Side side, Rank peer, const BlockList& blocks, const After& after);
  StepId append(Step step, const BlockList& source, const BlockList& target, const After& after);
  Rank global(Rank member) const {
    return renaming_ ? renaming_->members[static_cast<std::size_t>(member)] : member;
  }
  BlockList global(const BlockList& blocks) const;
  bool exists(const BlockList& blocks) const;
  Span store(const BlockList& blocks);
  /// Would a copy move nothing, because both lists name the same memory (in place)?
  bool is_same_memory(const BlockList& source, const BlockList& target) const;

  std::shared_ptr<Recording> recording_;
  std::shared_ptr<Renaming> renaming_;
  Problem problem_;
  Rank rank_ = 0;
  std::int32_t pieces_ = 1;
};

} // namespace thalweg::schedule
