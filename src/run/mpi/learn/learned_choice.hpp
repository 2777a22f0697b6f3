// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Learning, as those see it who make calls.

#include "mpi/call/collective_call.hpp"
#include "mpi/choose/choice.hpp"
#include "mpi/comm/communicators.hpp"

namespace thalweg::mpi {

// What the tuning file and learning say for a call; no choice where neither says anything. Marks measured
// calls in the communicator's state.
Decision learned_choice(const CollectiveCall& call, CommunicatorState& communicator);
void learned_call_ended(const CollectiveCall& call, CommunicatorState& communicator, bool refused);

} // namespace thalweg::mpi
