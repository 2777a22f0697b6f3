#pragma once

#include "mpi/native.hpp"

namespace thalweg::mpi {

// Waits for a request of our own making, whatever ranks have agreed on so far.
void complete(MPI_Request request);

} // namespace thalweg::mpi
