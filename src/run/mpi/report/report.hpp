// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The report of the run.

#include "mpi/observe/merging.hpp"

#include <optional>
#include <string>
#include <vector>

namespace thalweg::mpi {

/// What the run came to besides calls, on rank 0.
struct Outcomes {
  std::string learned; ///< of learn/learned.hpp
  std::string pattern; ///< of record/recording.hpp
  std::string pattern_line;
  std::string trace_line; ///< of trace/tracing.hpp
};

/// What all ranks recorded, and what else the run came to.
struct GatheredReport {
  observe::Merger merger;
  std::vector<observe::RankProfile> ranks; ///< that are to be added to it
  Outcomes outcomes;
};

/// Gathers it on rank 0 of the world, where the settings ask for a summary or a file; other ranks get none.
/// Collective over the world.
std::optional<GatheredReport> gather_report(const Outcomes& outcomes);

/// Writes the summary and the file that the settings ask for. Calls nothing of MPI: behind MPI_Finalize, no
/// rank waits for it.
void write_report(GatheredReport report);

/// Lets this rank's counts outlive it, where `thalweg run` made memory for that; before the first row.
/// Collective over the world.
void begin_journal();

} // namespace thalweg::mpi
