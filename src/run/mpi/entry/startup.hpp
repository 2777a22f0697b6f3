// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The interposer's first steps in a process.

#include "nic/agent_connection.hpp"

namespace thalweg::mpi {

/// After MPI_Init on all ranks of MPI_COMM_WORLD; asked before it, the agent has answered meanwhile.
void start_with_world(nic::AggregatorQuestion& question);

/// After MPI_Session_init, or at the first call seen of a program whose MPI_Init was not seen.
void start_late();

} // namespace thalweg::mpi
