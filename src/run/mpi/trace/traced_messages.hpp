// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages of the program's own and its requests, for the trace. All of it is called after the library has
// made the call without an error, from inside of a TracedSpan.

#include <cstdint>
#include <vector>

#include "mpi/call/call_event.hpp"

namespace thalweg::mpi {

// A message, or one each way.
void trace_message(CommunicatorState& communicator, const MessageCall& message);

// Messages of a neighborhood collective, which has them all begun; blocking without a request. Ranks of the
// world.
struct NeighborMessage {
  std::int32_t peer = -1;
  std::uint64_t bytes = 0;
};
void trace_neighbors(CommunicatorState& communicator, const std::vector<NeighborMessage>& sent,
                     const std::vector<std::int32_t>& sources, const MPI_Request* request,
                     bool is_persistent);

// A message that was found (MPI_Mprobe): whoever receives it does not say on which communicator.
void trace_found(CommunicatorState& communicator, MPI_Message message);
// The communicator of such a message, which is about to be received; null: not known.
CommunicatorState* traced_finder(MPI_Message message);

} // namespace thalweg::mpi
