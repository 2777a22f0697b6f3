// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The MPI library that a library for programs is linked with: its functions as room job wants them, whether
// they can be called, and duplicates of the program's communicators. Compiled for each family into the
// libraries that programs link; the interposers find their library while the program runs.

#include "base/error.hpp"
#include "job/mpi/shadow_communicator.hpp"
#include "transport/mpi/mpi_api.hpp"

#include <fmt/format.h>
#include <memory>
#include <mpi.h>
#include <string_view>

namespace thalweg::job {

struct PredefinedOperators;

/// Its functions.
const transport::MpiApi& library_api();
/// Its operators (job/mpi/operator.hpp).
const PredefinedOperators& library_operators();

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
    throw Error(
        "MPI is not running",
        "teams, streams and balancers are made, waited for and freed between MPI_Init and MPI_Finalize");
}

/// A duplicate of a program's communicator, for a "team" or a "stream" of its ranks. Collective. Throws Error
/// for what could not be duplicated. On MPICH the library itself ends the program over that, where errors on
/// the communicator are fatal.
std::shared_ptr<ShadowCommunicator> duplicate(MPI_Comm communicator, std::string_view user);

} // namespace thalweg::job
