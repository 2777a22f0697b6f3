// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Runs a call on our own engine, where a strategy was chosen for it that can do it.

#include "engine/execution.hpp"
#include "mpi/call/collective_call.hpp"
#include "mpi/choose/tuned_choices.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/run/call_result.hpp"

namespace thalweg::mpi {

struct FastPathEntry;

/// Called inside of collective calls, within a frame of ours. Throws what the program's operators throw, and
/// nothing else. `scheduled` is what `choice` holds.
CallResult run_collective(const CollectiveCall& call, CommunicatorState& communicator,
                          const strategies::Scheduled& scheduled, const Choice& choice);

/// Counts a call that the library refuses on this rank, for its buffers, and that other ranks run: later
/// calls of theirs and of this rank meet. False where they do not run it on the engine.
bool pass_over_collective(const CollectiveCall& call, CommunicatorState& communicator,
                          const strategies::Scheduled& scheduled, const Choice& choice);

/// In the call that makes a communicator with neighbors, of all its ranks: gathers the graph where the user
/// chose a strategy that knows it, so that nonblocking calls find it too.
void gather_chosen_graph(MPI_Comm made);

/// Tags of a new persistent operation on a communicator with channels; none when they are used up, which all
/// ranks see alike.
engine::Tags persistent_tags(CommunicatorState& communicator);

/// Makes a known call of our engine again, on other buffers of the host; returns MPI's error code.
int run_again(const FastPathEntry& known, const void* sendbuf, void* recvbuf);

} // namespace thalweg::mpi
