// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The trace of calls: it hears of each call that has ended, and is kept at the end.

#include "mpi/call/call_event.hpp"

#include <string>

namespace thalweg::mpi {

/// Appends the call to the trace, from inside of a FollowedSpan or of what entered the log.
void trace_ended(const CallEvent& event);

/// Begins: this process has joined the world, and computes from now on.
void begin_trace();

/// Gathers the trace on rank 0 of the world, which keeps it beside the program's pattern. Called by all;
/// gives a line for the summary, on rank 0.
std::string keep_trace();

} // namespace thalweg::mpi
