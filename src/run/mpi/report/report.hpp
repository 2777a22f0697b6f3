// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The report, and what streams have told of themselves for it.

#include "mpi/observe/profile.hpp"

#include <optional>
#include <string>
#include <vector>

namespace thalweg::mpi {

/// What the process's streams have told of themselves, until the report is made.
void keep_stream_report(const char* json);
std::vector<std::string> take_stream_reports();

/// What the run came to besides calls, on rank 0.
struct Outcomes {
  std::string learned; ///< of learn/learned.hpp
  std::string pattern; ///< of record/recording.hpp
  std::string pattern_line;
  std::string trace_line; ///< of trace/tracing.hpp
};

/// What all ranks recorded, and what else the run came to.
struct GatheredReport {
  std::vector<observe::RankProfile> ranks;
  Outcomes outcomes;
};

/// Gathers it on rank 0 of the world, where the settings ask for a summary or a file; other ranks get none.
/// Collective over the world.
std::optional<GatheredReport> gather_report(const Outcomes& outcomes);

/// Writes the summary and the file that the settings ask for. Calls nothing of MPI: behind MPI_Finalize, no
/// rank waits for it.
void write_report(GatheredReport report);

/// Lets this rank's counts outlive it, where `thalweg run` made memory for that; before the first row.
void begin_journal();

} // namespace thalweg::mpi
