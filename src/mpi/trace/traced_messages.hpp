#pragma once

// Messages of the program's own and its requests, for the trace. All of it is called after the library has
// made the call without an error, from inside of a TracedSpan.

#include <cstdint>
#include <vector>

#include "mpi/comm/communicators.hpp"

namespace thalweg::mpi {

// What a call of a send asks for. Ranks are the communicator's, of its remote group where it has one.
struct AskedSend {
  int to = MPI_PROC_NULL;
  int tag = 0;
  std::uint64_t bytes = 0;
  bool is_synchronous = false;
};
struct AskedReceive {
  int from = MPI_PROC_NULL;
  int tag = 0;
};

// Blocking calls. The status is the receive's, and not to be ignored.
void trace_send(CommunicatorState& communicator, const AskedSend& send);
void trace_receive(CommunicatorState& communicator, const AskedReceive& receive, const MPI_Status& status);
void trace_exchange(CommunicatorState& communicator, const AskedSend& send, const AskedReceive& receive,
                    const MPI_Status& status);

// Those that made a request: of a message, or of one each way (MPI_Isendrecv).
void trace_begun(CommunicatorState& communicator, const AskedSend& send, MPI_Request request);
void trace_begun(CommunicatorState& communicator, const AskedReceive& receive, MPI_Request request);
void trace_begun(CommunicatorState& communicator, const AskedSend& send, const AskedReceive& receive,
                 MPI_Request request);
// Persistent ones, whose messages begin when they are started.
void trace_made(CommunicatorState& communicator, const AskedSend& send, MPI_Request request);
void trace_made(CommunicatorState& communicator, const AskedReceive& receive, MPI_Request request);

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
