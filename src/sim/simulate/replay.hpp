// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Programs of traces (pattern/call_trace.hpp): what a recorded program would do, with other strategies, on
// another machine. Collectives become the messages of a strategy; computation takes as long as it did.

#include "pattern/call_trace.hpp"
#include "simulate/replay_calls.hpp"

namespace thalweg::simulate {

struct Replay {
  Program program;
  /// What is not as it was asked for, or as it was.
  std::vector<std::string> remarks;
};

/// The program of the trace. A receive for any message takes the one that it got in the recorded run. A
/// nonblocking collective goes on by itself. Calls with blocks of different sizes send them straight; with a
/// strategy that was selected all blocks have the communicator's mean. Throws Error for a trace that was cut,
/// for calls that are none, and where it has too many.
Replay replay(const pattern::CallTrace& trace, const ReplayOptions& options);

} // namespace thalweg::simulate
