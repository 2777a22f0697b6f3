#pragma once

// Runs a call on our own engine, where a strategy was chosen for it that can do it.

#include "engine/plan.hpp"
#include "mpi/call/collective_call.hpp"
#include "mpi/choose/choice.hpp"
#include "mpi/comm/communicators.hpp"

namespace thalweg::mpi {

class RecentCall;

enum class Outcome {
  done,     // the call was made by the engine; `code` is its result
  declined, // the library must make it, for `reason`
};

// What ran a call. Texts live as long as the process. Outcome and implementation are the same on all ranks of
// the communicator.
struct Ran {
  Outcome outcome;
  const char* implementation;       // the strategy that ran, or "native"
  const char* reason;               // why it was declined, nullptr when done
  int code;                         // MPI's error code when done
  bool was_refused = false;         // declined although a strategy of ours was chosen
  RecentCall* remembered = nullptr; // what it repeated
  // What ran it, as long as nobody makes another call on the communicator; null where blocks told their
  // sizes.
  const engine::Plan* plan = nullptr;
};

// The library must make the call, for this reason.
inline Ran declined(const char* reason) {
  return {Outcome::declined, "native", reason, MPI_SUCCESS};
}

// Called inside of collective calls with our depth raised; never throws. `scheduled` is what `choice` holds.
Ran run_collective(const CollectiveCall& call, CommunicatorState& communicator,
                   const strategies::Scheduled& scheduled, const Choice& choice) noexcept;

// Makes a call again on other buffers of the host; returns MPI's error code.
int run_again(RecentCall& remembered, const void* sendbuf, void* recvbuf) noexcept;

} // namespace thalweg::mpi
