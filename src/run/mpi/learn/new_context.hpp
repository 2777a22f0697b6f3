// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What learning of a kind of call begins with: where it takes place, and what the tuning file says.

#include "mpi/choose/tuned_choices.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/learn/tuning_context.hpp"

#include <memory>

namespace thalweg::mpi {

/// The same on all ranks, as `agreement_seconds` is: what the last agreement took, or 0.
Circumstances circumstances_of(CommunicatorState& communicator, double agreement_seconds);

/// Of calls with such units. The exploration budget is borrowed.
std::unique_ptr<TuningContext> new_context(const CallKind& kind, const UnitSize& size,
                                           CommunicatorState& communicator, const Circumstances& around,
                                           tune::ExplorationBudget& exploration_budget);

/// Ranks have not gone the same way, which is a defect of ours.
void report_different_ways(const CallKind& kind, int ranks);

/// Is it wanted to learn of such calls?
bool is_learning_wanted(const CallKind& kind);

} // namespace thalweg::mpi
