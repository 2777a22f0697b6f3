// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/comm/communicators.hpp"
#include "schedule/problem.hpp"

namespace thalweg::mpi {

/// Why neighborhood collectives on this communicator are the library's, the same on all ranks, or nullptr.
const char* neighborhood_objection(CommunicatorState& communicator);

/// Is the communicator a grid with a periodic dimension of one or two ranks? Around it the same rank is met
/// on both sides, and libraries differ in which message is whose, as do forms of one library. The same on all
/// ranks.
bool is_short_ring(CommunicatorState& communicator);

/// This rank's neighbors, in its own place of a vector that is empty otherwise. A neighbor of -1 is
/// MPI_PROC_NULL.
std::shared_ptr<const std::vector<schedule::Neighborhood>> neighborhoods(CommunicatorState& communicator);

} // namespace thalweg::mpi
