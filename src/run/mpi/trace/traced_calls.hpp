// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the trace has of calls that have ended without an error, messages and collectives. All of it is called
// from inside of a FollowedSpan.

#include "mpi/call/call_event.hpp"
#include "mpi/call/collective_call.hpp"
#include "mpi/comm/communicators.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::mpi {

/// A message of the program's own, or one each way.
void trace_message(CommunicatorState& communicator, const MessageCall& message);

/// Messages of a neighborhood collective, which has them all begun; blocking without a request. Ranks of the
/// world.
struct NeighborMessage {
  std::int32_t peer = -1;
  std::uint64_t bytes = 0;
};
void trace_neighbors(CommunicatorState& communicator, const std::vector<NeighborMessage>& sent,
                     const std::vector<std::int32_t>& sources, const MPI_Request* request,
                     bool is_persistent);

/// A message that was found (MPI_Mprobe): whoever receives it does not say on which communicator.
void trace_found(CommunicatorState& communicator, MPI_Message message);
/// The communicator of such a message, which is about to be received; null: not known.
CommunicatorState* traced_finder(MPI_Message message);

/// A call that has been made without an error; `implementation` ran it: a strategy with its parameters, or
/// whatever of the library ("native").
void trace_collective(const CollectiveCall& call, CommunicatorState& communicator,
                      const char* implementation);

/// All ranks of the communicator have met in a call that is no collective of data, such as MPI_Comm_split.
void trace_meeting(CommunicatorState& communicator);
/// The same by the communicator's number in the trace.
void trace_meeting(std::uint32_t communicator);

} // namespace thalweg::mpi
