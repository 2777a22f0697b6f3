// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Whether MPI can be called: programs may hold teams, streams and balancers too early, and too long.

#include "base/error.hpp"

#include <mpi.h>

namespace thalweg::job {

/// Between MPI_Init and MPI_Finalize?
inline bool mpi_runs() {
  int begun = 0;
  int ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun != 0 && ended == 0;
}

inline void mpi_must_run() {
  if (!mpi_runs())
    throw Error(
        "MPI is not running",
        "teams, streams and balancers are made, waited for and freed between MPI_Init and MPI_Finalize");
}

} // namespace thalweg::job
