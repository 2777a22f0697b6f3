// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan.hpp"

#include "base/assertion.hpp"
#include "schedule/schedule.hpp"

#include <algorithm>
#include <unordered_map>

namespace thalweg::engine {

namespace {

using schedule::BlockRange;
using schedule::Buffer;
using schedule::StepKind;

constexpr std::int64_t staging_alignment = 64;

std::int64_t total_bytes(std::span<const Piece> pieces) {
  std::int64_t total = 0;
  for (const Piece& piece : pieces)
    total += piece.bytes;
  return total;
}

} // namespace

Plan::Plan(const schedule::Schedule& schedule, const Layouts& layouts, const Combining& combining)
    : combining_(combining), successors_(schedule) {
  const std::int64_t row = layouts.canonical.row_bytes(layouts.canonical_blocks);
  scratch_bytes_ =
      (schedule.scratch_blocks + layouts.canonical_blocks - 1) / std::max(1, layouts.canonical_blocks) * row;
  std::unordered_map<std::int64_t, std::int32_t> messages_with;
  steps_.reserve(schedule.steps.size());
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
    PlanStage bound{schedule.stages[stage], schedule.stage_end(stage), true};
    stage_staging_bytes_ = 0;
    for (std::uint32_t s = bound.begin; s < bound.end; ++s) {
      const schedule::Step& step = schedule.steps[s];
      PlanStep plan_step;
      plan_step.kind = step.kind;
      plan_step.side = step.side;
      plan_step.peer = step.peer;
      plan_step.source = bind(schedule.source(step), layouts);
      plan_step.target = bind(schedule.target(step), layouts);
      plan_step.predecessors = step.predecessors.size;
      plan_step.has_successors = !successors_.of(s).empty();
      const bool is_token = step.source.size == 0 && step.target.size == 0;
      plan_step.bytes = total_bytes(step.kind == StepKind::send ? source(plan_step) : target(plan_step));
      plan_step.idle = plan_step.bytes == 0 && !is_token;
      if (is_message(step)) {
        const bool receive = is_receive(step);
        plan_step.sequence = messages_with[std::int64_t{step.peer} * 2 + (receive ? 1 : 0)]++;
        bind_message(plan_step, receive);
      }
      steps_.push_back(plan_step);
    }
    bound.is_simple = make_simple(schedule, bound);
    number_multicasts(schedule, stage);
    staging_bytes_ = std::max(staging_bytes_, stage_staging_bytes_);
    widest_stage_ = std::max(widest_stage_, bound.end - bound.begin);
    stages_.push_back(bound);
  }
  THALWEG_ASSERT(heavy, is_sound());
}

schedule::Span Plan::bind(std::span<const BlockRange> ranges, const Layouts& layouts) {
  const schedule::Span begin{static_cast<std::uint32_t>(pieces_.size()), 0};
  const std::int64_t row = layouts.canonical.row_bytes(layouts.canonical_blocks);
  std::vector<Extent> extents;
  const auto flush = [&](Buffer buffer) {
    for (const Extent& extent : extents)
      pieces_.push_back({static_cast<Base>(buffer), extent.offset, extent.bytes});
    extents.clear();
  };
  Buffer current = Buffer::input;
  for_each_run(ranges, [&](Buffer buffer, std::int32_t first, std::int32_t run) {
    if (buffer != current)
      flush(current);
    current = buffer;
    if (buffer != Buffer::scratch) {
      (buffer == Buffer::input ? layouts.input : layouts.output).append(first, run, 0, extents);
      return;
    }
    // Scratch is replicas of the canonical row: a run may reach over their ends.
    THALWEG_ASSERT(normal, layouts.canonical_blocks > 0);
    while (run > 0) {
      const std::int32_t replica = first / layouts.canonical_blocks;
      const std::int32_t block = first % layouts.canonical_blocks;
      const std::int32_t here = std::min(run, layouts.canonical_blocks - block);
      layouts.canonical.append(block, here, replica * row, extents);
      first += here;
      run -= here;
    }
  });
  flush(current);
  return {begin.begin, static_cast<std::uint32_t>(pieces_.size()) - begin.begin};
}

void Plan::bind_message(PlanStep& step, bool receive) {
  const auto pieces = receive ? target(step) : source(step);
  const bool combines = step.kind == StepKind::receive_combine;
  const bool takes_place = !combines || (combining_.on_arrival() && step.source.size <= 1);
  if (takes_place && pieces.size() == 1) {
    step.message = pieces.front();
    return;
  }
  step.message = {Base::staging, stage_staging_bytes_, step.bytes};
  stage_staging_bytes_ += (step.bytes + staging_alignment - 1) / staging_alignment * staging_alignment;
}

void Plan::number_multicasts(const schedule::Schedule& schedule, std::size_t stage) {
  std::uint32_t number = 0;
  for (const auto& sends : schedule::find_multicasts(schedule, stage)) {
    const PlanStep& first = steps_[sends.front()];
    if (first.bytes == 0 || first.message.base == Base::staging)
      continue;
    ++number;
    for (const std::uint32_t s : sends)
      steps_[s].multicast = {number, static_cast<std::uint32_t>(sends.size())};
  }
}

/// Marks what follows messages. Short messages come together, so that it costs nothing to wait for all of
/// them before the local work that waits for some; a message that waits for another must not be kept back.
bool Plan::make_simple(const schedule::Schedule& schedule, const PlanStage& stage) {
  constexpr std::int64_t short_bytes = 4096;
  bool has_order = false;
  bool has_long_messages = false;
  for (std::uint32_t s = stage.begin; s < stage.end; ++s) {
    PlanStep& step = steps_[s];
    const schedule::Step& origin = schedule.steps[s];
    bool follows = false;
    for (const std::uint32_t predecessor : schedule.predecessors_of(origin))
      follows |= steps_[predecessor].follows_messages || is_message(schedule.steps[predecessor]);
    if (is_message(origin) && (follows || (is_receive(origin) && step.predecessors > 0)))
      return false;
    step.follows_messages = follows;
    has_order |= step.predecessors > 0;
    has_long_messages |= is_message(origin) && step.bytes > short_bytes;
  }
  return !(has_order && has_long_messages);
}

/// Nothing reaches out of what the plan asks for, and who waits comes later.
bool Plan::is_sound() const {
  const auto fits = [this](const Piece& piece) {
    const std::int64_t room = piece.base == Base::scratch ? scratch_bytes_ : staging_bytes_;
    const bool is_own = piece.base == Base::scratch || piece.base == Base::staging;
    return piece.bytes >= 0 && (!is_own || (piece.offset >= 0 && piece.offset + piece.bytes <= room));
  };
  bool is_sound = std::ranges::all_of(pieces_, fits);
  std::uint32_t end = 0;
  for (const PlanStage& stage : stages_) {
    is_sound &= stage.begin == end && stage.begin <= stage.end;
    end = stage.end;
  }
  for (std::uint32_t s = 0; s < steps_.size(); ++s) {
    is_sound &= fits(steps_[s].message);
    for (const std::uint32_t successor : successors(s))
      is_sound &= successor > s;
  }
  return is_sound && end == steps_.size();
}

} // namespace thalweg::engine
