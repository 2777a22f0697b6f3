// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What all ranks have learned, for the report and the tuning file.

#include "engine/execution.hpp"
#include "mpi/call/collective_call.hpp"
#include "mpi/choose/tuned_choices.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/learn/started_calls.hpp"
#include "tune/tuning_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace thalweg::mpi {

class CommunicatorLearning;

/// Keeps what a communicator has learned, where this rank is its first; called when it is freed.
void keep_learned(const CommunicatorLearning& learning);

struct LearningResults {
  std::string document; ///< JSON, an array; "" where nothing was learned
  std::vector<tune::Pick> picks;
  std::vector<tune::Pick> nonblocking;
};

/// Gathers on rank 0 of MPI_COMM_WORLD; called by all.
LearningResults gather_learned();

// Learning, as those see it who make calls.

/// What the tuning file and learning say for a call; no choice where neither says anything. Marks measured
/// calls in the communicator's state. Once such a call has ended, or has started if it is nonblocking: where
/// the figure of a started one goes.
Decision learned_choice(const CollectiveCall& call, CommunicatorState& communicator);
MeasuredStart learned_call_ended(const CollectiveCall& call, CommunicatorState& communicator, bool refused);

/// Makes a persistent request whose starts learn; nothing where nothing is learned of it. The tags are for
/// all its runs, none where there are no more.
struct LearnedPersistent {
  int code;                  ///< MPI's
  const Choice* begins_with; ///< what its first starts run
};
using TakeTags = engine::Tags (*)(CommunicatorState&);
std::optional<LearnedPersistent> make_learned_persistent(const CollectiveCall& call,
                                                         CommunicatorState& communicator, TakeTags take_tags);
/// This rank makes none, as the library refuses the call here: later ones are the same on all ranks.
void pass_over_learned_persistent(const CollectiveCall& call, CommunicatorState& communicator,
                                  TakeTags take_tags);

/// Where the figure of this thread's last start of such a request goes; once.
MeasuredStart take_measured_start();

} // namespace thalweg::mpi
