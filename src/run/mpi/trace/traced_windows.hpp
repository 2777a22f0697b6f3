// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One-sided calls for the trace: whose memory they reach, and the calls that complete them. All of it is
// called after the library has made the call without an error, from inside of a TracedSpan.
//
// A call is on its way from when it was made until its thread completes it: a fence is that and a meeting of
// all ranks, an exposure is an empty message each way. That an exclusive lock waits for another is not kept.

#include "mpi/call/call_event.hpp"

namespace thalweg::mpi {

/// All ranks of the communicator have made a window; it is about to be freed.
void trace_window(MPI_Win window, CommunicatorState& communicator);
void trace_window_freed(MPI_Win window);

/// MPI_PROC_NULL and what is no rank trace nothing.
void trace_remote(const RemoteAccess& access);

/// Completes calls, exposes memory, or asks for it; of a window that was made before.
void trace_window_call(const WindowCall& call);

} // namespace thalweg::mpi
