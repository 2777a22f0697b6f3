#pragma once

#include "mpi/call/collective_call.hpp"
#include "schedule/operation.hpp"

namespace thalweg::mpi {

// The schedule operation of an MPI collective.
schedule::Operation schedule_operation(Operation operation);

} // namespace thalweg::mpi
