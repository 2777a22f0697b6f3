// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What ranks left in the journal that ended without MPI_Finalize.

#include "mpi/observe/missing_ranks.hpp"
#include "mpi/observe/output.hpp"
#include "mpi/observe/profile.hpp"

#include <span>
#include <string>
#include <vector>

namespace thalweg::mpi::observe {

struct UnfinishedJob {
  RunDescription run;
  std::vector<RankProfile> ranks; ///< of the journals' hosts
  int rank_count = 0;             ///< of all hosts
};

/// A journal, by its descriptor.
struct OpenJournal {
  int file;
  /// Whether its ranks' clocks are this host's, and go on to this moment. Else ranks are taken to have ended
  /// with the latest MPI call of any of them.
  bool is_live;
};

/// The ranks that made no report, of the job that began last; no ranks where there are none.
UnfinishedJob read_journals(std::span<const OpenJournal> journals);

/// A job as far as it is known when it starts, for journals: JSON with the names of the family's functions,
/// and with the map on ranks that know it.
std::string describe_start(const RunDescription& run, const std::vector<const char*>& functions,
                           const JobMap& map = {});

} // namespace thalweg::mpi::observe
