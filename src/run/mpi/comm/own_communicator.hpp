// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A communicator of this process alone, under which the library is asked about handles of the program. It
// returns errors: what is asked on the program's behalf never goes through the program's error handlers.

#include "mpi/abi/native.hpp"

namespace thalweg::mpi {

// Makes it where MPI_COMM_SELF exists; frees it before MPI ends.
void open_own_communicator();
void close_own_communicator();

// MPI_COMM_NULL where there is none: with sessions alone, and while MPI ends.
MPI_Comm own_communicator();

// Is the handle a communicator's? Says so for all that the library would take, and calls no error handler.
// Only handles that are not known yet come here.
bool is_communicator(MPI_Comm comm);

} // namespace thalweg::mpi
