// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "job/library/mpi_calls.hpp"

#include <span>

namespace thalweg::balancing {

/// Have all of these ended?
inline bool are_done(std::span<MPI_Request> requests) {
  int done = 0;
  job::must(PMPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
            "MPI_Testall");
  return done != 0;
}

} // namespace thalweg::balancing
