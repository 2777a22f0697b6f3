// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A call of the program that has ended without an error, for whoever keeps account of it: the record of who
// sends how much to whom (mpi/record), and the trace of calls (mpi/trace). It is made once, and only where
// one of them is on. Ranks are the communicator's, of its remote group where it has one.

#include "mpi/call/collective_call.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/observe/call_table.hpp"

#include <cstdint>
#include <optional>
#include <variant>

namespace thalweg::engine {
class Plan;
}

namespace thalweg::mpi {

struct SendArguments {
  int to = MPI_PROC_NULL;
  int tag = 0;
  std::uint64_t bytes = 0;
  bool is_synchronous = false;
};

struct ReceiveArguments {
  int from = MPI_PROC_NULL;
  int tag = 0;
};

/// A message, or one each way.
struct MessageCall {
  std::optional<SendArguments> sends = {};
  std::optional<ReceiveArguments> receives = {};
  const MPI_Status* status = nullptr;   ///< of a receive that has ended; not to be ignored
  const MPI_Request* request = nullptr; ///< that stands for it from now on; none: the call blocked
  bool is_persistent = false;           ///< it begins when the request is started
};

/// A message was found (MPI_Mprobe): whoever receives it does not say on which communicator.
struct ProbedMessage {
  MPI_Message message;
};

/// All ranks of the communicator have met.
struct Meeting {};

/// So much of the memory of a rank of the window was written and read.
struct RemoteAccess {
  MPI_Win window;
  int target;
  std::uint64_t written;
  std::uint64_t read;
  const MPI_Request* request = nullptr; ///< none: completed with the window's others
};

/// A window's synchronization; what the fields that a kind does not have hold means nothing.
struct WindowCall {
  enum class Kind { created, fence, lock, flush, flush_all, post, start, complete, exposed };
  Kind kind;
  MPI_Win window;
  int target = MPI_PROC_NULL;
  MPI_Group group{};
};

/// What ran a collective.
struct CollectiveRun {
  const CollectiveCall* call;
  const char* implementation; ///< a strategy with its parameters, or what of the library
  const engine::Plan* plan; ///< of our engine, as long as nobody makes another call; none: the library ran it
  std::int64_t choice;      ///< Choice::id
};

/// Nothing: of the call, reports note its time alone.
using CallContent = std::variant<std::monostate, MessageCall, ProbedMessage, Meeting, RemoteAccess,
                                 WindowCall, CollectiveRun>;

struct CallEvent {
  CommunicatorState* communicator; ///< none where the call has none
  observe::CallRow& row;           ///< whose key says the function, the place in the program and the phase
  const CallContent& content;
};

} // namespace thalweg::mpi
