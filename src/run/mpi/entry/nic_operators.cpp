// SPDX-License-Identifier: BSD-3-Clause

// Operators of the program's own that network devices know (thalweg/nic.h), from when they are named.

#include <exception>

#include "mpi/call/named_operators.hpp"
#include "mpi/entry/entry.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/state/runtime.hpp"
#include "thalweg/status.h"

namespace thalweg::mpi {

int handle_Op_free(const CallSite&, MPI_Op* op) {
  const Inside inside;
  if (op == nullptr || name_of_operator(*op) == nullptr)
    return native.Op_free(op);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

} // namespace thalweg::mpi

extern "C" THALWEG_API thalweg_status thalweg_name_nic_operator(MPI_Op op, const char* name) {
  try {
    thalweg::mpi::name_operator(op, name == nullptr ? "" : name);
    return thalweg_success;
  } catch (const std::exception& error) {
    thalweg::mpi::log_line(error.what());
    return thalweg_error_invalid_argument;
  }
}
