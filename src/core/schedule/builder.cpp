// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/builder.hpp"

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"
#include "schedule/buffers.hpp"
#include "schedule/fusing.hpp"

#include <algorithm>
#include <limits>

namespace thalweg::schedule {

namespace {

/// Adds a range to a list, melting it with the last one where they are neighbors.
void append_range(BlockList& list, const BlockRange& range) {
  if (range.size() == 0)
    return;
  if (!list.empty() && range.count == 1) {
    BlockRange& last = list.back();
    if (last.count == 1 && last.buffer == range.buffer && last.first + last.run == range.first) {
      last.run += range.run;
      return;
    }
  }
  list.push_back(range);
}

/// The blocks begin .. end-1 of a list, counted through its ranges.
BlockList slice(const BlockList& list, std::int64_t begin, std::int64_t end) {
  BlockList result;
  std::int64_t position = 0;
  for_each_run(list, [&](Buffer buffer, std::int32_t first, std::int32_t run) {
    const std::int64_t from = std::max(begin, position);
    const std::int64_t to = std::min(end, position + run);
    if (from < to)
      append_range(result, {buffer, static_cast<std::int32_t>(first + from - position),
                            static_cast<std::int32_t>(to - from)});
    position += run;
  });
  return result;
}

[[maybe_unused]] bool are_different_ranks(std::vector<Rank> members, std::int32_t ranks) {
  std::ranges::sort(members);
  return members.front() >= 0 && members.back() < ranks &&
         std::ranges::adjacent_find(members) == members.end();
}

/// Each unit cut into `pieces` as evenly as its number of blocks allows.
std::vector<BlockList> cut(std::vector<BlockList> units, std::int32_t pieces) {
  if (pieces == 1)
    return units;
  std::vector<BlockList> blocks;
  blocks.reserve(units.size() * static_cast<std::size_t>(pieces));
  for (const BlockList& unit : units) {
    const std::int64_t size = block_count(unit);
    for (std::int32_t k = 0; k < pieces; ++k)
      blocks.push_back(slice(unit, part_begin(size, pieces, k), part_begin(size, pieces, k + 1)));
  }
  return blocks;
}

} // namespace

Builder::Builder(const Problem& problem, Rank rank, std::int32_t pieces)
    : recording_(std::make_shared<Recording>()), problem_(problem), rank_(rank), pieces_(pieces) {
  THALWEG_ASSERT(light, rank >= 0 && rank < problem.ranks && pieces >= 1);
  THALWEG_ASSERT(light, problem.root >= 0 && problem.root < problem.ranks);
  for (const auto& group : {problem.nodes, problem.sockets, problem.leaves})
    THALWEG_ASSERT(light, !group || std::ssize(*group) == problem.ranks);
  Schedule& schedule = recording_->schedule;
  schedule.operation = problem.operation;
  schedule.ranks = problem.ranks;
  schedule.rank = rank;
  schedule.pieces = pieces;
  schedule.stages.push_back(0);
  recording_->problem = problem;
}

std::int32_t Builder::canonical() const {
  return static_cast<std::int32_t>(canonical_blocks(problem_, pieces_));
}

void Builder::round() {
  Schedule& schedule = recording_->schedule;
  const auto next = static_cast<std::uint32_t>(schedule.steps.size());
  if (schedule.stages.back() != next)
    schedule.stages.push_back(next);
  recording_->stage_begin = next;
}

StepId Builder::message(StepKind kind, Side side, Rank peer, const BlockList& blocks, const After& after) {
  const BlockList mapped = global(blocks);
  if (mapped.empty() || peer < 0)
    return nothing;
  THALWEG_ASSERT(normal, peer < ranks());
  Step step;
  step.kind = kind;
  step.side = side;
  step.peer = global(peer);
  return kind == StepKind::send ? append(step, mapped, {}, after) : append(step, {}, mapped, after);
}

StepId Builder::copy(const BlockList& from, const BlockList& to, const After& after) {
  const BlockList source = global(from);
  const BlockList target = global(to);
  if (source.empty() || is_same_memory(source, target))
    return nothing;
  THALWEG_ASSERT(heavy, block_count(source) == block_count(target));
  return append(Step{}, source, target, after);
}

bool Builder::is_same_memory(const BlockList& source, const BlockList& target) const {
  if (source == target)
    return true;
  if (!recording_->problem.in_place || block_count(source) != block_count(target))
    return false;
  const Schedule& schedule = recording_->schedule;
  BlockList aliased;
  for_each_block(source, [&](Buffer buffer, std::int32_t block) {
    const std::int32_t output_block =
        buffer == Buffer::input ? aliased_output(recording_->problem, schedule.rank, schedule.pieces, block)
                                : -1;
    append_range(aliased,
                 output_block < 0 ? BlockRange{buffer, block} : BlockRange{Buffer::output, output_block});
  });
  return aliased == target;
}

StepId Builder::combine(const BlockList& from, const BlockList& into, Side from_stands, const After& after) {
  const BlockList source = global(from);
  if (source.empty())
    return nothing;
  Step step;
  step.kind = StepKind::combine;
  step.side = from_stands;
  const BlockList target = global(into);
  THALWEG_ASSERT(heavy, block_count(source) == block_count(target));
  return append(step, source, target, after);
}

StepId Builder::send_token(Rank to, const After& after) {
  Step step;
  step.kind = StepKind::send;
  step.peer = global(to);
  return append(step, {}, {}, after);
}

StepId Builder::receive_token(Rank from, const After& after) {
  Step step;
  step.kind = StepKind::receive;
  step.peer = global(from);
  return append(step, {}, {}, after);
}

StepId Builder::append(Step step, const BlockList& source, const BlockList& target, const After& after) {
  Schedule& schedule = recording_->schedule;
  THALWEG_ASSERT(normal, !is_message(step) || (step.peer >= 0 && step.peer < schedule.ranks));
  THALWEG_ASSERT(heavy, exists(source) && exists(target));
  step.source = store(source);
  step.target = store(target);
  step.predecessors.begin = static_cast<std::uint32_t>(schedule.predecessors.size());
  for (const StepId id : after)
    if (id != nothing && id >= recording_->stage_begin) {
      THALWEG_ASSERT(normal, id < schedule.steps.size());
      schedule.predecessors.push_back(id);
    }
  step.predecessors.size = static_cast<std::uint32_t>(schedule.predecessors.size()) - step.predecessors.begin;
  schedule.steps.push_back(step);
  return static_cast<StepId>(schedule.steps.size() - 1);
}

/// Are these blocks of the buffers that the rank has?
bool Builder::exists(const BlockList& blocks) const {
  const Schedule& schedule = recording_->schedule;
  bool all_exist = true;
  for_each_run(blocks, [&](Buffer buffer, std::int32_t first, std::int32_t run) {
    const std::int32_t end = buffer == Buffer::scratch ? schedule.scratch_blocks
                             : buffer == Buffer::input
                                 ? input_units(recording_->problem, schedule.rank) * schedule.pieces
                                 : output_units(recording_->problem, schedule.rank) * schedule.pieces;
    all_exist &= first >= 0 && run > 0 && first + run <= end;
  });
  return all_exist;
}

Span Builder::store(const BlockList& blocks) {
  std::vector<BlockRange>& ranges = recording_->schedule.ranges;
  const Span span{static_cast<std::uint32_t>(ranges.size()), static_cast<std::uint32_t>(blocks.size())};
  ranges.insert(ranges.end(), blocks.begin(), blocks.end());
  return span;
}

BlockList Builder::global(const BlockList& blocks) const {
  BlockList result;
  result.reserve(blocks.size());
  if (!renaming_) {
    for (const BlockRange& range : blocks)
      append_range(result, range);
    return result;
  }
  for_each_block(blocks, [&](Buffer buffer, std::int32_t block) {
    const auto& names = buffer == Buffer::input    ? renaming_->input_blocks
                        : buffer == Buffer::output ? renaming_->output_blocks
                                                   : renaming_->scratch;
    for (const BlockRange& range : names.at(static_cast<std::size_t>(block)))
      append_range(result, range);
  });
  return result;
}

std::int32_t Builder::scratch_blocks(std::int32_t blocks) {
  Schedule& schedule = recording_->schedule;
  THALWEG_ASSERT(normal,
                 blocks >= 0 && blocks <= std::numeric_limits<std::int32_t>::max() - schedule.scratch_blocks);
  if (!renaming_) {
    const std::int32_t first = schedule.scratch_blocks;
    schedule.scratch_blocks += blocks;
    return first;
  }
  // A sub-problem's scratch block s stands for as many of the root's scratch blocks as canonical block s mod
  // B of the sub-problem has, of the same shapes: a replica of the root's canonical row for each of the
  // sub-problem's.
  const auto first = static_cast<std::int32_t>(renaming_->scratch.size());
  const auto canonical_row =
      static_cast<std::int32_t>(canonical_blocks(recording_->problem, schedule.pieces));
  const auto own_row = static_cast<std::int32_t>(renaming_->canonical.size());
  THALWEG_ASSERT(light, own_row > 0);
  std::int32_t replica = 0;
  for (std::int32_t s = 0; s < blocks; ++s) {
    if (s % own_row == 0) {
      replica =
          static_cast<std::int32_t>(ceil_divide(schedule.scratch_blocks, canonical_row)) * canonical_row;
      schedule.scratch_blocks = replica + canonical_row;
    }
    BlockList mapped;
    for_each_block(renaming_->canonical[static_cast<std::size_t>((first + s) % own_row)],
                   [&](Buffer buffer, std::int32_t block) {
                     std::int64_t shape =
                         canonical_block(recording_->problem, schedule.rank, schedule.pieces, buffer, block);
                     // An all-to-all's row is not of its canonical blocks, of which there is one a pair of
                     // ranks.
                     if (recording_->problem.neighborhoods)
                       shape = s % own_row; // a unit is one edge or none, in no order of blocks
                     else if (shape < 0 || recording_->problem.operation == Operation::alltoall)
                       shape = block % canonical_row;
                     append_range(mapped, {Buffer::scratch, static_cast<std::int32_t>(replica + shape)});
                   });
    renaming_->scratch.push_back(std::move(mapped));
  }
  return first;
}

Builder Builder::subgroup(const Subproblem& sub) const {
  Builder inner(*this);
  inner.problem_ = sub.problem;
  inner.problem_.ranks = static_cast<std::int32_t>(sub.members.size());
  inner.pieces_ = sub.pieces;
  const auto position = std::ranges::find(sub.members, rank_);
  THALWEG_ASSERT(light, position != sub.members.end() && sub.pieces >= 1);
  THALWEG_ASSERT(heavy, are_different_ranks(sub.members, ranks()));
  inner.rank_ = static_cast<Rank>(position - sub.members.begin());

  THALWEG_ASSERT(light, std::ssize(sub.input_units) >= input_units(inner.problem_, inner.rank_));
  THALWEG_ASSERT(light, std::ssize(sub.output_units) >= output_units(inner.problem_, inner.rank_));

  const auto globally = [this](std::vector<BlockList> units) {
    for (BlockList& unit : units)
      unit = global(unit);
    return units;
  };
  auto renaming = std::make_shared<Renaming>();
  for (const Rank member : sub.members)
    renaming->members.push_back(global(member));
  renaming->input_blocks = cut(globally(sub.input_units), sub.pieces);
  renaming->output_blocks = cut(globally(sub.output_units), sub.pieces);
  if (!sub.canonical_units.empty())
    renaming->canonical = cut(globally(sub.canonical_units), sub.pieces);
  else
    renaming->canonical =
        sub.output_units.size() >= sub.input_units.size() ? renaming->output_blocks : renaming->input_blocks;
  inner.renaming_ = std::move(renaming);
  return inner;
}

Schedule Builder::finish() {
  Schedule& schedule = recording_->schedule;
  if (schedule.stages.size() > 1 && schedule.stages.back() == schedule.steps.size())
    schedule.stages.pop_back();
  THALWEG_ASSERT(light, schedule.stages.front() == 0 && schedule.stages.back() <= schedule.steps.size());
  fuse_combinations(schedule);
  return std::move(schedule);
}

} // namespace thalweg::schedule
