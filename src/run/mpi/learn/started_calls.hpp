// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Rounds of nonblocking calls of one kind. Their starts return at once, so what is between two rounds waits
// for nobody: it is under way while the program's calls run the incumbent.

#include "mpi/learn/started_agreement.hpp"
#include "mpi/learn/tuning_context.hpp"
#include "mpi/run/communicator_plans.hpp"
#include "transport/glances.hpp"
#include "tune/round_figures.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace thalweg::mpi {

/// A measured call from its start on: where its figure goes once the program has completed its request.
struct MeasuredStart {
  tune::RoundFigures* figures = nullptr; ///< null: the call is not measured. Lives as long as the process.
  std::uint32_t generation = 0;
  std::uint32_t call = 0;
  std::uint64_t begin_ticks = 0;
};

class StartedCalls {
public:
  /// More kinds than this on a communicator are left alone.
  static constexpr std::uint32_t max_kinds = 16;
  /// Tags at the end of a transport's that no other operation uses.
  static constexpr std::int32_t tags = max_kinds * StartedAgreement::tags;
  static_assert(tags == tags_of_learning);

  /// `number`: of the kind on its communicator, the same on all ranks.
  StartedCalls(CommunicatorState& communicator, std::uint32_t number);
  /// The same for a call of its own, on tags of its own (StartedAgreement::tags). The communicator may be
  /// freed before it ends, but for its state.
  StartedCalls(CommunicatorState& communicator, std::shared_ptr<transport::Transport> transport,
               std::int32_t first_tag);
  ~StartedCalls();
  StartedCalls(const StartedCalls&) = delete;
  StartedCalls& operator=(const StartedCalls&) = delete;

  /// What the start of a call finds where the context needs a round.
  enum class Between : std::uint8_t {
    incumbent, ///< nothing is known yet: this call runs the incumbent
    round,     ///< a round is open
    agreed,    ///< a measured round is agreed on: learn(), and look again
  };
  Between at_start(TuningContext& context);
  /// Learns from the round that was agreed on. False where ranks have gone different ways.
  bool learn(TuningContext& context);

  /// Are channels wanted, which a blocking call on the communicator has to open?
  bool wants_channels() const { return phase_ == Phase::closed; }

  /// Around the start of a measured call.
  void starts();
  MeasuredStart started(TuningContext& context, bool refused, const pattern::Traffic& traffic);

  /// Do ranks agree on something that not all of them may have begun?
  bool is_agreeing() const { return agreement_ && agreement_->is_pending() && !agreement_->has_ended(); }
  /// Completes what is under way, before the communicator or MPI ends.
  void finish();

private:
  enum class Phase : std::uint8_t {
    between,  ///< the next round is to be opened
    open,     ///< a round is
    closed,   ///< the next round needs channels, and there are none
    measured, ///< ranks agree on a round
    ordering, ///< ranks agree on candidates
    lost,     ///< rounds told nothing: nothing more is learned
  };

  StartedAgreement& agreement();
  void begin_agreement(TuningContext& context);
  void begin_ordering(TuningContext& context);
  /// False where something has to be agreed on first.
  bool open_round(TuningContext& context, const tune::Round& round);
  void glance(TuningContext& context);

  CommunicatorState& communicator_;
  std::uint32_t number_ = 0;
  tune::RoundFigures* figures_;
  std::optional<StartedAgreement> agreement_; ///< once there are channels
  Phase phase_ = Phase::between;
  tune::Round wanted_;            ///< while there are no channels
  std::uint32_t calls_since_ = 0; ///< starts since the measured round's end
  std::uint32_t lost_ = 0;        ///< rounds in a row
  double agreement_seconds_ = 0;  ///< of the last one
  MeasuredStart starting_;
  struct Glances {
    transport::NeighborGlances* at = nullptr; ///< null: the node's ranks share no memory
    std::uint32_t calls = 0;                  ///< of the round that were followed by one
    double min = 0;                           ///< of the side's, in ticks; 0: none has told anything
  };
  Glances glances_; ///< at a neighbor's core, which may move meanwhile
};

} // namespace thalweg::mpi
