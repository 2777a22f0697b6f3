// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Collectives for the trace: what each is asked for, and what ran it.

#include "mpi/call/collective_call.hpp"
#include "mpi/comm/communicators.hpp"

namespace thalweg::mpi {

// A call that has been made without an error; `implementation` ran it: a strategy with its parameters, or
// whatever of the library ("native").
void trace_collective(const CollectiveCall& call, CommunicatorState& communicator,
                      const char* implementation);

// All ranks of the communicator have met in a call that is no collective of data, such as MPI_Comm_split.
void trace_meeting(CommunicatorState& communicator);
// The same by the communicator's number in the trace.
void trace_meeting(std::uint32_t communicator);

} // namespace thalweg::mpi
