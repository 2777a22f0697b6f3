// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Learning on one communicator: its tuning contexts by kind of call, and the agreements between their rounds.

#include "mpi/call/collective_call.hpp"
#include "mpi/learn/agreement.hpp"
#include "mpi/learn/started_calls.hpp"
#include "mpi/learn/tuning_context.hpp"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

namespace thalweg::mpi {

class CommunicatorLearning : public RunnerState {
public:
  explicit CommunicatorLearning(CommunicatorState& communicator);
  ~CommunicatorLearning() override;

  /// What the call is to run; no choice where nothing is learned of such calls.
  Decision choose(const CollectiveCall& call);
  /// After the call, where choose() has said that it is measured: where its figure goes, if it has only
  /// started.
  MeasuredStart measured(const CollectiveCall& call, bool refused);

  /// Inside of the call that makes a persistent request: whether its starts learn, the same on all ranks.
  /// Opens the channels that they need, as no start can.
  std::optional<CallKind> add_persistent(const CollectiveCall& call);

  /// Completes what is under way, before the communicator or MPI ends.
  void finish();
  /// Calls `visit(context)` for all.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, sequence] : sequences_)
      for (const auto& [traffic, context] : sequence.contexts)
        visit(*context);
  }
  CommunicatorState& communicator() const { return communicator_; }

private:
  /// Calls of one kind. Those of private sizes have a tuning context for each class of traffic that was
  /// agreed upon.
  struct CallSequence {
    std::map<pattern::TrafficClass, std::unique_ptr<TuningContext>> contexts;
    TuningContext* current = nullptr;
    RoundAgreement agreement;
    double agreement_seconds = 0;          ///< of the last one
    std::unique_ptr<StartedCalls> started; ///< of nonblocking calls, instead of the agreement
  };

  /// A call by its signature, and where it belongs: the fast path for programs that make the same few calls.
  struct LearnedCall {
    const FunctionInfo* function = nullptr;
    CallSignature signature;
    CallSequence* sequence = nullptr; ///< null: nothing is learned of it
    std::int64_t bytes = 0;
  };

  const LearnedCall& find(const CollectiveCall& call);
  CallSequence* sequence_of(const CallKind& kind);
  TuningContext& context_of(CallSequence& sequence, const CallKind& kind, pattern::TrafficClass traffic,
                            const UnitSize& size);
  Decision choose_for_start(const LearnedCall& found);
  /// True where a round is open.
  bool open_started_round(CallSequence& sequence);
  void stop_on_different_ways(const TuningContext& context);
  void open_round(CallSequence& sequence);
  void close_round(CallSequence& sequence);
  bool is_ready(); ///< for agreements; made so when first needed
  void measure_clock();
  void order_candidates(TuningContext& context);

  CommunicatorState& communicator_;
  tune::ExplorationBudget exploration_budget_;
  double agreement_seconds_ = 0; ///< of the last one
  std::unordered_map<std::uint32_t, CallSequence> sequences_;
  static constexpr unsigned recent_bits = 4;
  std::array<LearnedCall, std::size_t{1} << recent_bits> recent_;
  LearnedCall unlike_any_;            ///< of calls that their signatures do not identify
  CallSequence* measuring_ = nullptr; ///< the call under way
  std::uint32_t started_kinds_ = 0;
  std::uint32_t persistent_calls_ = 0;
  bool wants_channels_ = false; ///< for nonblocking calls: the next one that blocks opens them
  bool ready_ = false;
  bool stopped_ = false;
  double clock_offset_seconds_ = 0;
};

} // namespace thalweg::mpi
