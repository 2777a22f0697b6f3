// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The timeline of the run (`thalweg run --timeline`): when each thread entered and left which call, which
// messages it sent and received, and when requests were over. All of it is called only while
// process.observation.keeps_timeline holds.

#include "mpi/call/call_event.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/observe/call_table.hpp"

#include <cstdint>

namespace thalweg::mpi::timeline {

/// How far this node's clock is behind that of rank 0's. Called by all.
double clock_offset_ns();

/// Begins, in memory of our own or of the command's; false without memory. Called by all.
bool begin();

/// This thread enters a call, and leaves it. Calls of the program's own code inside of calls nest.
void entered();
void left();
/// The program left calls by a jump.
void left_by_jump();

/// The call that this thread is in, and its payload, as soon as they are known.
void is_call(observe::CallRow& row, std::uint64_t bytes);
/// The same of a collective, which all ranks of the communicator count alike.
void is_collective(observe::CallRow& row, CommunicatorState& communicator, std::uint64_t bytes);
/// The call has ended without an error.
void ended(const CallEvent& event);

/// Gathers all ranks' events in a file of rank 0's, for the command to write the timeline from. Called by
/// all.
void keep();

} // namespace thalweg::mpi::timeline
