// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The library that stands before the interposer (src/run/mpi/world) and gives the program another
// communicator where it names MPI_COMM_WORLD.

#include "mpi/abi/native.hpp"

namespace thalweg::mpi {

// Is it loaded?
bool can_swap_world();

// From now on the program's MPI_COMM_WORLD is a new communicator of the same processes, in which this one has
// rank `rank`; runtime.world.communicator and the ranks of runtime are its. Called by all. False, the same on
// all, where it cannot be made.
bool swap_world(int rank);

// Gives MPI_COMM_WORLD back and frees what stood for it; when MPI ends. Called by all.
void restore_world();

} // namespace thalweg::mpi
