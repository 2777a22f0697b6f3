// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Persistent collectives that learn. Ranks start several requests in any order, so that each request is a
// kind of call of its own: its k-th start is the same call on all ranks, whatever they start meanwhile. Its
// handle is the library's own persistent request. A start that the library is to run is the library's start
// of it. One that a strategy runs leaves the library's request inactive, and waits and tests find ours
// instead (run/requests.hpp).

#include "mpi/learn/started_calls.hpp"
#include "mpi/learn/tuning_context.hpp"
#include "mpi/run/communicator_plans.hpp"
#include "mpi/run/pending_collective.hpp"
#include "mpi/run/requests.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace thalweg::mpi {

class PersistentCall : public BackgroundCall {
public:
  /// Inside of the call that makes the request, on a communicator with channels. The engine does not object
  /// to the call. The tags are the request's for good.
  PersistentCall(const CollectiveCall& call, const CallKind& kind, CommunicatorState& communicator,
                 engine::Tags tags);
  ~PersistentCall() override;
  PersistentCall(const PersistentCall&) = delete;
  PersistentCall& operator=(const PersistentCall&) = delete;

  std::optional<strategies::Advancing> choose_run(strategies::Advancing handed_out) noexcept override;
  void restart() noexcept override { running_->restart(); }
  bool progress() noexcept override { return running_->progress(); }
  void finish() noexcept override { running_->finish(); }
  bool calls_library() const noexcept override { return running_ == nullptr || running_->calls_library(); }
  std::size_t stage() const noexcept override { return running_->stage(); }
  int code() const noexcept override { return running_->code(); }

  const TuningContext& context() const { return *context_; }
  /// What the first starts run.
  const Choice& begins_with() { return context_->between_rounds(context_->kind().bytes); }
  CommunicatorState& communicator() const { return *communicator_; }
  /// Completes the agreement that is under way, before MPI ends.
  void finish_learning() { started_->finish(); }

protected:
  /// An agreement that not all ranks may have begun, where this is freed: it has to go on. Null: there is
  /// none. The state has to last as long.
  std::unique_ptr<StartedCalls> take_agreement();
  const std::shared_ptr<CommunicatorState>& shared_communicator() const { return communicator_; }

private:
  /// A strategy that has run, with what it needs; none where it cannot do the call.
  struct Run {
    const Choice* choice;
    std::unique_ptr<PendingCollective> pending;
  };

  const Choice& next_choice();
  bool open_round();
  const Run& run_of(const Choice& choice);

  std::shared_ptr<CommunicatorState> communicator_; ///< which the program may free before the request
  CallBinding bound_;                               ///< keeps the program's datatypes
  engine::Tags tags_;
  CommunicatorPlans plans_;
  pattern::Traffic traffic_; ///< of a start
  tune::ExplorationBudget exploration_budget_;
  std::unique_ptr<TuningContext> context_;
  std::unique_ptr<StartedCalls> started_;
  std::vector<Run> runs_; ///< of the incumbent and the candidate
  PendingCollective* running_ = nullptr;
  bool is_measured_ = false; ///< the start under way
  bool stopped_ = false;
};

/// What the last start of such a request on this thread measures; nothing from then on.
MeasuredStart take_measure_of_start();

} // namespace thalweg::mpi
