// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// An execution: a plan at work on one call's buffers.

#include "base/assertion.hpp"
#include "engine/plan.hpp"
#include "engine/reductions.hpp"
#include "transport/transport.hpp"

#include <memory>
#include <vector>

namespace thalweg::engine {

struct Buffers {
  /// Never written, though not const: transports and operators take plain pointers.
  std::byte* input = nullptr;
  std::byte* output = nullptr;
  std::byte* scratch = nullptr; ///< plan.scratch_bytes()
  std::byte* staging = nullptr; ///< plan.staging_bytes()
};

/// The tags of a call's messages: `first` and those after it. How many is a power of two.
struct Tags {
  std::int32_t first = 0;
  std::int32_t count = 1;
};

/// How tags are dealt out, so that executions under way on one transport never take each other's messages:
/// all ranks ask in the same order.
class TagSupply {
public:
  /// Of a transport whose tags are 0 .. limit-1.
  explicit TagSupply(std::int32_t limit);
  /// For the next call. They come round again after 255 calls at least.
  Tags for_call() {
    THALWEG_ASSERT(normal, next_ < calls_);
    const Tags tags{next_ * count_, count_};
    next_ = next_ + 1 == calls_ ? 0 : next_ + 1;
    return tags;
  }
  /// Kept for good by a persistent operation; none (count 0) where there are no more.
  Tags for_persistent();

private:
  std::int32_t count_;
  std::int32_t calls_; ///< the upper half is for persistent operations
  std::int32_t next_ = 0;
  std::int32_t persistent_ = 0;
};

/// What has been started on a batch and is to be brought to its end.
class Runnable {
public:
  virtual ~Runnable() = default;
  /// Does what can be done without waiting; true when the collective has finished. Throws what the transport
  /// throws.
  virtual bool progress() = 0;
  /// Runs to the end, waiting inside of the transport.
  virtual void run() = 0;
  /// The stage at work; it changes whenever something was achieved.
  virtual std::size_t stage() const = 0;
};

class Execution final : public Runnable {
public:
  /// The plan and the batch are borrowed for life.
  Execution(const Plan& plan, transport::Batch& batch);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// Begins a run; nothing may be under way. `combine` may be null for plans without combining steps. The
  /// buffers and it are borrowed until the run has finished.
  void start(const Buffers& buffers, Tags tags, Operator* combine);

  bool progress() override;
  void run() override;
  std::size_t stage() const override { return stage_; }

private:
  /// Combines what arrives, where the transport calls it.
  struct Arrival final : transport::Combiner {
    explicit Arrival(schedule::Side arrived_side) : side(arrived_side) {}
    void combine(std::byte* arrived, const std::byte* own, std::byte* target, std::size_t bytes,
                 bool spent) override {
      operation->combine(arrived, own, target, static_cast<std::int64_t>(bytes), side, spent);
    }
    bool calls_library() const override { return operation->calls_library(); }
    schedule::Side side;
    Operator* operation = nullptr;
  };

  std::byte* at(const Piece& piece) const {
    return bases_[static_cast<std::size_t>(piece.base)] + piece.offset;
  }
  transport::Message message(const PlanStep& step);
  void start_stage(const PlanStage& stage);
  /// Has everything of the started stage finished? Makes progress.
  bool poll_stage(const PlanStage& stage);
  void transfer_simple_stage(const PlanStage& stage);
  /// What is left to do when all messages of a simple stage have come.
  void follow_messages(std::span<const PlanStep> steps) const;
  void work_alone(std::span<const PlanStep> steps) const;
  void start_ordered_stage(const PlanStage& stage);
  /// Starts steps that wait for nothing until none is left.
  void drain_ready(const PlanStage& stage);
  /// Starts one step; true if it has finished at once.
  bool start_step(const PlanStage& stage, std::uint32_t s);
  void finish_messages(const PlanStage& stage, std::span<const int> ids);
  void pack(const PlanStep& step) const;
  /// What is left to do when a message has come.
  void unpack(const PlanStep& step) const;
  void work_locally(const PlanStep& step) const;
  /// Calls `work(source, target, bytes)` for what is in one piece on both sides: both name as many bytes, but
  /// may be cut differently where one has gaps.
  template <typename Work>
  void for_each_piece(const PlanStep& step, Work&& work) const;

  const Plan& plan_;
  transport::Batch& batch_;
  std::byte* bases_[4] = {};
  Tags tags_;
  Operator* operator_ = nullptr;
  Arrival left_{schedule::Side::left};
  Arrival right_{schedule::Side::right};
  std::size_t stage_ = 0;
  bool stage_started_ = false;
  std::uint32_t unfinished_ = 0;
  std::vector<std::uint32_t> waits_;
  std::vector<std::uint32_t> ready_;
  std::vector<transport::Message> receives_;
  std::vector<transport::Message> sends_;
};

} // namespace thalweg::engine
