#pragma once

// One-sided calls for the trace: whose memory they reach, and the calls that complete them. All of it is
// called after the library has made the call without an error, from inside of a TracedSpan.
//
// A call is on its way from when it was made until its thread completes it: a fence is that and a meeting of
// all ranks, an exposure is an empty message each way. That an exclusive lock waits for another is not kept.

#include <cstdint>

#include "mpi/comm/communicators.hpp"

namespace thalweg::mpi {

// All ranks of the communicator have made a window; it is about to be freed.
void trace_window(MPI_Win window, CommunicatorState& communicator);
void trace_window_freed(MPI_Win window);

// A call that writes and reads so much of the memory of that rank of the window; with a request of its own,
// or completed with the window's. MPI_PROC_NULL and what is no rank trace nothing.
void trace_remote(MPI_Win window, int target, std::uint64_t written, std::uint64_t read,
                  const MPI_Request* request = nullptr);

// The calling thread's calls are over: those that reach a rank of the window, or all.
void trace_flush(MPI_Win window, int target);
void trace_flush(MPI_Win window);
void trace_fence(MPI_Win window);

// A lock is a way to the rank of the window and back.
void trace_lock(MPI_Win window, int target);

// Memory is exposed to a group, which may reach it; each of the group has completed its calls, and that is
// seen.
void trace_post(MPI_Win window, MPI_Group group);
void trace_start(MPI_Win window, MPI_Group group);
void trace_complete(MPI_Win window);
void trace_exposed(MPI_Win window);

} // namespace thalweg::mpi
