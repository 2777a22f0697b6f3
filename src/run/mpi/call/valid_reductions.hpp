// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/abi/native.hpp"

namespace thalweg::mpi {

// Does the library take the operator, and reduce such elements with it? It is asked by a reduction of nothing
// under a communicator of our own, so that its verdict is the one that the program's call will get.
bool is_valid_reduction(MPI_Op op, MPI_Datatype datatype);

} // namespace thalweg::mpi
