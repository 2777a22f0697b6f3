// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A schedule: one rank's part of a collective as data.
//
// Steps stand in *stages*. A stage's steps may all be under way at once, ordered only by the predecessors
// they name; the next stage begins when every step of this one has finished. The n-th send from a to b on a
// channel meets the n-th receive from a at b, counted in program order.

#include "base/assertion.hpp"
#include "schedule/problem.hpp"

#include <span>

namespace thalweg::schedule {

enum class StepKind : std::uint8_t {
  send,            ///< source -> peer, as one message; no blocks: a token of no bytes
  receive,         ///< peer -> target
  receive_combine, ///< peer's message (+) source -> target; no source: the target itself
  copy,            ///< source -> target
  combine,         ///< source (+) target -> target
};

/// Where the incoming operand of a combining step stands: left: in (+) target, right: target (+) in.
enum class Side : std::uint8_t { left, right };

struct Span {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
};

struct Step {
  StepKind kind = StepKind::copy;
  Side side = Side::left;
  std::uint16_t channel = 0;
  Rank peer = -1;
  Span source = {};
  Span target = {};
  Span predecessors = {};
};

struct Schedule {
  Operation operation = Operation::barrier;
  std::int32_t ranks = 1;
  Rank rank = 0;
  std::int32_t pieces = 1;
  std::int32_t scratch_blocks = 0;
  std::vector<Step> steps;
  /// First step of each stage; a stage reaches to the next one's first step.
  std::vector<std::uint32_t> stages;
  std::vector<BlockRange> ranges;
  std::vector<std::uint32_t> predecessors;

  std::span<const BlockRange> source(const Step& step) const { return view(ranges, step.source); }
  std::span<const BlockRange> target(const Step& step) const { return view(ranges, step.target); }
  /// Earlier steps of the same stage that must have finished before this one starts.
  std::span<const std::uint32_t> predecessors_of(const Step& step) const {
    return view(predecessors, step.predecessors);
  }
  std::uint32_t stage_end(std::size_t stage) const {
    return stage + 1 < stages.size() ? stages[stage + 1] : static_cast<std::uint32_t>(steps.size());
  }

private:
  template <typename Item>
  static std::span<const Item> view(const std::vector<Item>& items, Span span) {
    THALWEG_ASSERT(normal, std::uint64_t{span.begin} + span.size <= items.size());
    return {items.data() + span.begin, span.size};
  }
};

/// Does the step move bytes to or from another rank?
inline bool is_message(const Step& step) {
  return step.kind <= StepKind::receive_combine;
}
inline bool is_receive(const Step& step) {
  return step.kind == StepKind::receive || step.kind == StepKind::receive_combine;
}

/// Which steps wait for a step: a schedule's predecessors the other way round.
class Successors {
public:
  Successors() = default;
  explicit Successors(const Schedule& schedule);

  std::span<const std::uint32_t> of(std::uint32_t step) const {
    THALWEG_ASSERT(normal, step + 1 < begins_.size());
    return {steps_.data() + begins_[step], begins_[step + 1] - begins_[step]};
  }

private:
  std::vector<std::uint32_t> begins_; ///< in `steps_`, and its end
  std::vector<std::uint32_t> steps_;
};

/// The sends of a stage that carry the same bytes to several ranks, as lists of step numbers: those of the
/// same blocks that wait for the same steps. Whatever writes the blocks between two of them would have to
/// come after the one and before the other. Lists have two or more steps, those in their order.
std::vector<std::vector<std::uint32_t>> find_multicasts(const Schedule& schedule, std::size_t stage);

/// The same call `times` times over, each beginning once this rank has done its part of the one before. What
/// ranks do of different calls overlaps where one need not wait for the other, as along a pipeline.
Schedule in_a_row(const Schedule& call, std::int32_t times);

} // namespace thalweg::schedule
