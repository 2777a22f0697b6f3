#pragma once

// MPI's functions as teams use them: what fails is thrown.

#include "core/error.hpp"

#include <fmt/format.h>
#include <mpi.h>

namespace thalweg::teams {

inline void must(int code, const char* call) {
  if (code != MPI_SUCCESS)
    throw Error(fmt::format("{} failed with MPI error {}", call, code), "see the MPI library's own message",
                thalweg_error_mpi);
}

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
    throw Error("MPI is not running",
                "teams are made, waited for and freed between MPI_Init and MPI_Finalize");
}

} // namespace thalweg::teams
