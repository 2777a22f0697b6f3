#pragma once

// An execution: a plan at work on one call's buffers.

#include "engine/operator.hpp"
#include "engine/plan.hpp"
#include "transport/batch.hpp"

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

/// How tags are made, so that executions under way on one transport never take each other's messages: all
/// ranks give the same number to the same call.
struct Tags {
  std::int32_t first = 0;
  std::int32_t count = 1;
  /// The tags of call number `call` (counted per transport) when tags are 0 .. limit-1. They come round again
  /// after at least 256 calls.
  static Tags of_call(std::uint64_t call, std::int32_t limit);
  /// Tags kept for good by persistent operation number `operation`; none (count 0) where there are no more.
  static Tags of_persistent(std::uint64_t operation, std::int32_t limit);
};

class Execution {
public:
  /// The plan and the batch are borrowed for life.
  Execution(const Plan& plan, transport::Batch& batch);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// Begins a run; nothing may be under way. `combine` may be null for plans without combining steps. The
  /// buffers and it are borrowed until the run has finished.
  void start(const Buffers& buffers, Tags tags, Operator* combine);

  /// Does what can be done without waiting; true when the collective has finished. Throws what the transport
  /// throws.
  bool progress();
  /// Runs to the end, waiting inside of the transport.
  void run();
  /// The stage at work; it changes whenever something was achieved.
  std::size_t stage() const { return stage_; }

private:
  /// Combines what arrives, where the transport calls it.
  struct Arrival final : transport::Combiner {
    explicit Arrival(schedule::Side arrived_side) : side(arrived_side) {}
    void combine(std::byte* arrived, std::byte* target, std::size_t bytes) override {
      operation->combine(arrived, target, static_cast<std::int64_t>(bytes), side, true);
    }
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
  void start_ordered_stage(const PlanStage& stage);
  /// Starts steps that wait for nothing until none is left.
  void drain_ready(const PlanStage& stage);
  /// Starts one step; true if it has finished at once.
  bool start_step(const PlanStage& stage, std::uint32_t s);
  void finish_messages(const PlanStage& stage, std::span<const int> slots);
  void pack(const PlanStep& step) const;
  /// What is left to do when a message has come.
  void unpack(const PlanStep& step) const;
  void work_locally(const PlanStep& step) const;

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
