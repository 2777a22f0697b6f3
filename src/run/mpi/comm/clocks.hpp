// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Clocks of different nodes, held against each other.

#include "mpi/abi/native.hpp"
#include "mpi/observe/ticks.hpp"

#include <vector>

namespace thalweg::mpi {

/// Of this node's clock.
inline double local_seconds() {
  return 1e-9 * static_cast<double>(observe::monotonic_ns());
}

/// How far each node's clock is behind that of rank 0's node, in nanoseconds; on rank 0, to be called by all
/// ranks of the communicator. `nodes` is the node of each rank, numbered from 0. Ranks of a node share a
/// clock; of another node's first rank the answer with the shortest way there and back is taken, as sent in
/// the middle of it.
std::vector<double> clock_offsets_ns(MPI_Comm communicator, int rank, const std::vector<int>& nodes, int tag,
                                     int trials);

} // namespace thalweg::mpi
