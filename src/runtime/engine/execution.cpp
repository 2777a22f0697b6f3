// SPDX-License-Identifier: BSD-3-Clause
#include "engine/execution.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <cstring>

namespace thalweg::engine {

namespace {

using schedule::StepKind;

bool is_receiving(const PlanStep& step) {
  return step.kind == StepKind::receive || step.kind == StepKind::receive_combine;
}

/// Few are enough: messages between two ranks start in order but for pipelines, whose windows are short.
std::int32_t tags_per_call(std::int32_t limit) {
  return limit >= (1 << 22) ? 1 << 10 : 1 << 6;
}

bool is_local(const PlanStep& step) {
  return step.kind == StepKind::copy || step.kind == StepKind::combine;
}

/// Local work that nothing else of its stage waits for, and that waits for nothing.
bool stands_alone(const PlanStep& step) {
  return is_local(step) && step.predecessors == 0 && !step.has_successors;
}

} // namespace

TagSupply::TagSupply(std::int32_t limit) : count_(tags_per_call(limit)), calls_(limit / count_ / 2) {
  THALWEG_ASSERT(light, calls_ > 0);
}

Tags TagSupply::for_persistent() {
  if (persistent_ == calls_)
    return {0, 0};
  return {(calls_ + persistent_++) * count_, count_};
}

Execution::Execution(const Plan& plan, transport::Batch& batch) : plan_(plan), batch_(batch) {
  batch_.reserve(plan.widest_stage());
}

void Execution::start(const Buffers& buffers, Tags tags, Operator* combine) {
  THALWEG_ASSERT(normal, tags.count > 0);
  THALWEG_ASSERT(normal, (tags.count & (tags.count - 1)) == 0); // messages take them by a mask
  THALWEG_ASSERT(normal, buffers.scratch != nullptr || plan_.scratch_bytes() == 0);
  THALWEG_ASSERT(normal, buffers.staging != nullptr || plan_.staging_bytes() == 0);
  THALWEG_ASSERT(normal, unfinished_ == 0);
  bases_[static_cast<std::size_t>(Base::input)] = buffers.input;
  bases_[static_cast<std::size_t>(Base::output)] = buffers.output;
  bases_[static_cast<std::size_t>(Base::scratch)] = buffers.scratch;
  bases_[static_cast<std::size_t>(Base::staging)] = buffers.staging;
  tags_ = tags;
  operator_ = left_.operation = right_.operation = combine;
  stage_ = 0;
  stage_started_ = false;
}

bool Execution::progress() {
  for (; stage_ < plan_.stages().size(); ++stage_) {
    const PlanStage& stage = plan_.stages()[stage_];
    if (!stage_started_)
      start_stage(stage);
    stage_started_ = true;
    if (!poll_stage(stage))
      return false;
    stage_started_ = false;
  }
  return true;
}

void Execution::run() {
  for (; stage_ < plan_.stages().size(); ++stage_) {
    const PlanStage& stage = plan_.stages()[stage_];
    if (stage.is_simple) {
      transfer_simple_stage(stage);
      continue;
    }
    start_ordered_stage(stage);
    while (unfinished_ > 0)
      finish_messages(stage, batch_.wait());
  }
}

transport::Message Execution::message(const PlanStep& step) {
  transport::Message result{.peer = step.peer,
                            .tag = tags_.first + (step.sequence & (tags_.count - 1)),
                            .data = at(step.message),
                            .bytes = static_cast<std::size_t>(step.message.bytes),
                            .granule = plan_.granule(),
                            .multicast = step.multicast};
  if (step.kind == StepKind::receive_combine && step.message.base != Base::staging) {
    result.combiner = step.side == schedule::Side::left ? &left_ : &right_;
    if (step.source.size > 0)
      result.own = at(plan_.source(step).front());
  }
  return result;
}

void Execution::start_stage(const PlanStage& stage) {
  if (!stage.is_simple) {
    start_ordered_stage(stage);
    return;
  }
  const auto steps = plan_.steps();
  for (std::uint32_t s = stage.begin; s < stage.end; ++s)
    if (!steps[s].idle && is_receiving(steps[s]))
      batch_.start_receive(s - stage.begin, message(steps[s]));
  bool has_work_alone = false;
  for (std::uint32_t s = stage.begin; s < stage.end; ++s) {
    if (steps[s].idle || steps[s].follows_messages)
      continue;
    if (steps[s].kind == StepKind::send) {
      pack(steps[s]);
      batch_.start_send(s - stage.begin, message(steps[s]));
    } else if (stands_alone(steps[s])) {
      has_work_alone = true;
    } else if (is_local(steps[s])) {
      work_locally(steps[s]);
    }
  }
  if (has_work_alone)
    work_alone(steps.subspan(stage.begin, stage.end - stage.begin));
}

bool Execution::poll_stage(const PlanStage& stage) {
  if (!stage.is_simple) {
    while (unfinished_ > 0) {
      const std::span<const int> ids = batch_.poll();
      if (ids.empty())
        return false;
      finish_messages(stage, ids);
    }
    return true;
  }
  if (!batch_.all_finished())
    return false;
  follow_messages(plan_.steps().subspan(stage.begin, stage.end - stage.begin));
  return true;
}

void Execution::transfer_simple_stage(const PlanStage& stage) {
  const auto steps = plan_.steps().subspan(stage.begin, stage.end - stage.begin);
  receives_.clear();
  sends_.clear();
  bool has_work_alone = false;
  for (const PlanStep& step : steps) {
    if (step.idle || step.follows_messages)
      continue;
    if (is_receiving(step)) {
      receives_.push_back(message(step));
    } else if (step.kind == StepKind::send) {
      pack(step);
      sends_.push_back(message(step));
    } else if (stands_alone(step)) {
      has_work_alone = true;
    } else {
      work_locally(step);
    }
  }
  std::span<const transport::Message> sends = sends_;
  if (has_work_alone) {
    // Others can read what has gone while this is done.
    sends = sends.subspan(batch_.send_at_once(sends));
    work_alone(steps);
  }
  if (!receives_.empty() || !sends.empty())
    batch_.transfer(receives_, sends);
  follow_messages(steps);
}

void Execution::work_alone(std::span<const PlanStep> steps) const {
  for (const PlanStep& step : steps)
    if (!step.idle && stands_alone(step))
      work_locally(step);
}

void Execution::follow_messages(std::span<const PlanStep> steps) const {
  for (const PlanStep& step : steps) {
    if (step.idle)
      continue;
    if (is_receiving(step))
      unpack(step);
    else if (step.follows_messages)
      work_locally(step);
  }
}

void Execution::start_ordered_stage(const PlanStage& stage) {
  unfinished_ = stage.end - stage.begin;
  waits_.resize(unfinished_);
  ready_.clear();
  for (std::uint32_t s = stage.begin; s < stage.end; ++s)
    waits_[s - stage.begin] = plan_.steps()[s].predecessors;
  for (std::uint32_t s = stage.begin; s < stage.end; ++s)
    if (plan_.steps()[s].predecessors == 0)
      ready_.push_back(s);
  drain_ready(stage);
}

void Execution::drain_ready(const PlanStage& stage) {
  for (std::size_t next = 0; next < ready_.size(); ++next) {
    const std::uint32_t s = ready_[next];
    if (!start_step(stage, s))
      continue;
    --unfinished_;
    for (const std::uint32_t successor : plan_.successors(s))
      if (--waits_[successor - stage.begin] == 0)
        ready_.push_back(successor);
  }
  ready_.clear();
}

bool Execution::start_step(const PlanStage& stage, std::uint32_t s) {
  const PlanStep& step = plan_.steps()[s];
  if (step.idle)
    return true;
  if (is_local(step)) {
    work_locally(step);
    return true;
  }
  if (is_receiving(step)) {
    batch_.start_receive(s - stage.begin, message(step));
  } else {
    pack(step);
    batch_.start_send(s - stage.begin, message(step));
  }
  return false;
}

void Execution::finish_messages(const PlanStage& stage, std::span<const int> ids) {
  for (const int id : ids) {
    const std::uint32_t s = stage.begin + static_cast<std::uint32_t>(id);
    THALWEG_ASSERT(normal, s < stage.end && unfinished_ > 0);
    if (const PlanStep& step = plan_.steps()[s]; is_receiving(step))
      unpack(step);
    --unfinished_;
    for (const std::uint32_t successor : plan_.successors(s))
      if (--waits_[successor - stage.begin] == 0)
        ready_.push_back(successor);
  }
  drain_ready(stage);
}

void Execution::pack(const PlanStep& step) const {
  if (step.message.base != Base::staging)
    return;
  std::byte* to = at(step.message);
  for (const Piece& piece : plan_.source(step)) {
    std::memcpy(to, at(piece), static_cast<std::size_t>(piece.bytes));
    to += piece.bytes;
  }
}

template <typename Work>
void Execution::for_each_piece(const PlanStep& step, Work&& work) const {
  const auto sources = plan_.source(step);
  const auto targets = plan_.target(step);
  if (sources.size() == 1 && targets.size() == 1) {
    work(at(sources[0]), at(targets[0]), targets[0].bytes);
    return;
  }
  std::size_t s = 0;
  std::int64_t done_in_source = 0;
  for (const Piece& target : targets)
    for (std::int64_t done = 0; done < target.bytes;) {
      THALWEG_ASSERT(normal, s < sources.size()); // both sides have as many bytes
      const Piece& source = sources[s];
      const std::int64_t bytes = std::min(target.bytes - done, source.bytes - done_in_source);
      work(at(source) + done_in_source, at(target) + done, bytes);
      done += bytes;
      done_in_source += bytes;
      if (done_in_source == source.bytes) {
        ++s;
        done_in_source = 0;
      }
    }
}

void Execution::unpack(const PlanStep& step) const {
  if (step.message.base != Base::staging)
    return;
  std::byte* from = at(step.message);
  const auto take = [&](const std::byte* own, std::byte* to, std::int64_t bytes) {
    if (step.kind == StepKind::receive_combine)
      operator_->combine(from, own, to, bytes, step.side, true);
    else
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
    from += bytes;
  };
  if (step.source.size > 0) {
    for_each_piece(step, take);
    THALWEG_ASSERT(normal, from == at(step.message) + step.message.bytes);
    return;
  }
  for (const Piece& piece : plan_.target(step))
    take(at(piece), at(piece), piece.bytes);
}

void Execution::work_locally(const PlanStep& step) const {
  THALWEG_ASSERT(normal, step.kind != StepKind::combine || operator_ != nullptr);
  for_each_piece(step, [&](std::byte* from, std::byte* to, std::int64_t bytes) {
    if (step.kind == StepKind::combine)
      operator_->combine(from, to, to, bytes, step.side, false);
    else if (from != to)
      std::memmove(to, from, static_cast<std::size_t>(bytes));
  });
}

} // namespace thalweg::engine
