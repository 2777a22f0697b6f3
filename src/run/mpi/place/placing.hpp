// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Numbers the ranks anew while MPI starts, if that was asked for and is surely faster.

#include "job/mpi/agreement.hpp"
#include "machine/allocation.hpp"
#include "mpi/abi/native.hpp"

#include <string>

namespace thalweg::mpi {

// The library that stands before the interposer (src/run/mpi/world) and gives the program another
// communicator where it names MPI_COMM_WORLD.

/// Is it loaded?
bool can_swap_world();

/// From now on the program's MPI_COMM_WORLD is a new communicator of the same processes, in which this one
/// has rank `rank`; runtime.world.communicator and the ranks of runtime are its. Called by all. False, the
/// same on all, where it cannot be made.
bool swap_world(int rank);

/// Gives MPI_COMM_WORLD back and frees what stood for it; when MPI ends. Called by all.
void restore_world();

struct PlacingDecision {
  /// Of each new rank its old one; empty where ranks stay. The same on all.
  std::vector<std::int32_t> old_rank_of;
  bool records = false; ///< there is no pattern yet: this run is to record it. The same on all
  std::string document; ///< for the report, a JSON object; on the first rank
  std::string line;     ///< for the summary; empty where nothing was asked for
};

/// Decides for MPI_COMM_WORLD, whose ranks have these slots. Changes nothing yet. Called by all.
PlacingDecision decide_placing(const job::Agreement& everybody, const machine::Allocation& allocation,
                               int nodes);

} // namespace thalweg::mpi
