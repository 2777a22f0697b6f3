// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/call/collective_call.hpp"

namespace thalweg::mpi {

// Makes a collective call of the program: on our engine when it takes it, by the library otherwise, yielding
// where cores are short; and records it. Returns MPI's error code. What
// the program's own code throws that the library calls, error handlers and operators, passes through.
int dispatch(const CollectiveCall& call);

} // namespace thalweg::mpi
