// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What ranks left in the journal that ended without MPI_Finalize.

#include "mpi/observe/output.hpp"
#include "mpi/observe/profile.hpp"

#include <string>
#include <vector>

namespace thalweg::mpi::observe {

struct UnfinishedJob {
  RunDescription run;
  std::vector<RankProfile> ranks; ///< of this host
  int rank_count = 0;             ///< of all hosts
};

/// A journal's ranks that made no report; no ranks where there are none. `file` is the journal's descriptor.
UnfinishedJob read_journal(int file);

/// A job as far as it is known when it starts, for journals: JSON with the names of the family's functions.
std::string describe_start(const RunDescription& run, const std::vector<const char*>& functions);

} // namespace thalweg::mpi::observe
