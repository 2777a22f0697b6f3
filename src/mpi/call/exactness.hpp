#pragma once

// Whether a call's result is the same to the last bit whatever strategy runs it: the same answer on all
// ranks.

#include "mpi/call/collective_call.hpp"
#include "mpi/comm/communicators.hpp"

namespace thalweg::mpi {

bool is_reduction(Operation operation);
bool is_predefined_operation(MPI_Op op);
bool is_commutative(MPI_Op op);

// Calls that only move data are, and reductions without rounding. Sums of floating-point numbers depend on
// the order of the operands, but for two of them; operators of the program's own may.
bool is_exact(const CollectiveCall& call, const CommunicatorState& communicator);

} // namespace thalweg::mpi
