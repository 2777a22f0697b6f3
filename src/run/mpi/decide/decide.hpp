// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What is to run a call: the one place where those meet who have something to say of it.

#include "mpi/call/collective_call.hpp"
#include "mpi/choose/choice.hpp"
#include "mpi/comm/communicators.hpp"

namespace thalweg::mpi {

// The user's choice (THALWEG_USE) comes first, then what this run learns, then the tuning file's pick; else
// the library. The same on all ranks of the communicator.
Decision decide(const CollectiveCall& call, CommunicatorState& communicator);

// How the library is called where it runs a call.
enum class LibraryCall {
  as_made,        // by the call that the program made
  after_meeting,  // the same, once no rank waits any more for an operation of ours in flight here
  by_counterpart, // by its nonblocking form, for which we wait
};

// Nonblocking and blocking collectives never match each other. So this is the same on all ranks of the
// communicator, and looks at what was chosen, not at what a rank has in flight.
LibraryCall library_call(const Choice& choice, const CollectiveCall& call, CommunicatorState& communicator);

// Why the library runs a call that it was chosen for.
const char* library_reason(const Choice& choice);

} // namespace thalweg::mpi
