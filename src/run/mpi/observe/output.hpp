// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The report as people and programs read it.

#include "mpi/observe/job_facts.hpp"
#include "mpi/observe/missing_ranks.hpp"
#include "mpi/observe/picks.hpp"
#include "mpi/observe/profile.hpp"

#include <string>
#include <vector>

namespace thalweg::mpi::observe {

struct RunDescription {
  std::vector<std::string> command;
  std::string library; ///< version, first line
  std::string library_path;
  std::string family;
  bool yields = false;
  std::string wait_reason;
  std::vector<std::string> settings;      ///< "THALWEG_…=value"
  std::vector<std::string> user_settings; ///< of the MPI library, "OMPI_MCA_coll_…=value" and the like
  int node_count = 1;
  std::string tuning;        ///< what became of the tuning file, empty where none was asked for
  std::string shared_memory; ///< whether ranks of a node use it, and why; empty where it had no use
  std::string network;       ///< where nodes are in it, or why that is not known; empty on one node
  std::string gpu_memory;    ///< why calls with data are the library's; empty where they are not
  std::vector<std::string> fingerprint; ///< as thalweg_fingerprint() tells it, by lines
  std::string learned;                  ///< what was learned, a JSON array; empty where nothing was
  std::string streams{};                ///< what streams have done, a JSON array; empty where there were none
  std::string pattern{};      ///< what was recorded of who sends to whom, a JSON object; empty likewise
  std::string pattern_line{}; ///< of it, for people
  std::string trace_line{};   ///< of the trace of calls
  std::string placing{};      ///< what became of numbering ranks anew, a JSON object; empty likewise
  std::string placing_line{}; ///< and for people
  std::string nic{};          ///< whether collectives ran on it, and why not; empty where none was chosen to
  std::string last_on_nics{}; ///< who came last to those, a JSON array; empty where none ran there
  std::string last_on_nics_line{}; ///< and for people
  std::uint64_t began_ns = 0;      ///< when the job began, in rank 0's clock of the day
  std::string cause{}; ///< of a job that ended without MPI_Finalize: what ended it; empty otherwise
  int rank_count = 0;  ///< of that job, with the ranks of other hosts, which are not known
  std::vector<MissingRanks> missing{}; ///< of these, where it is known which they are
  JobFacts facts{};
  std::vector<TunedPick> tuned{}; ///< what the tuning file has for this job
  std::string use{};              ///< THALWEG_USE
};

/// How the summary is shown, and what its last line can refer to.
struct SummaryForm {
  std::size_t columns = 0; ///< of the screen; 0: none, as in files
  bool has_bars = false;   ///< whether the screen shows UTF-8's block characters
  std::string report{};    ///< the file that has it all, by its shortest name; empty where none is written
  std::string keeping{};   ///< the command that would write one, empty where it is not known
};

/// A table for people, ending with a newline. Its last line is the command that helps next, if one does.
std::string summary(const RunDescription& run, const Profile& profile, const SummaryForm& form = {});

/// JSON, format "thalweg-report" version 2.
std::string document(const RunDescription& run, const Profile& profile);

/// What to say of a report that cannot be written, with a remedy.
std::string cannot_be_written(const std::string& path, int error);

/// The same of a job's log.
std::string log_cannot_be_written(const std::string& folder, const std::string& why);

} // namespace thalweg::mpi::observe
