// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The interposer's first steps in a process.

#include "nic/agent_connection.hpp"

namespace thalweg::mpi {

/// After MPI_Init on all ranks of MPI_COMM_WORLD; asked before it, the agent has answered meanwhile.
void start_with_world(nic::AggregatorQuestion& question);

/// Which way calls go from now on, once that has changed on which it depends: what is observed, how waits
/// look, whether calls are ours.
void choose_way();

/// After MPI_Session_init, or at the first call seen of a program whose MPI_Init was not seen.
void start_late();

} // namespace thalweg::mpi
