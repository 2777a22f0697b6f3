// SPDX-License-Identifier: BSD-3-Clause

// The report of a job that ended without MPI_Finalize, from what its ranks left in the journal. `thalweg run`
// starts this program when such a job has ended:
//
//     thalweg-unfinished JOURNAL REPORT SUMMARY COLUMNS CAUSE
//
// JOURNAL is the number of a descriptor. REPORT is a file or empty, SUMMARY 1 where a summary is wanted.
// CAUSE says what ended the job.

#include "base/files.hpp"
#include "mpi/observe/form.hpp"
#include "mpi/observe/journal_reader.hpp"
#include "mpi/observe/locations.hpp"
#include "mpi/observe/output.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <system_error>

int main(int count, char** words) {
  using namespace thalweg::mpi::observe;
  using thalweg::write_file;
  if (count != 6) {
    std::fprintf(stderr, "usage: thalweg-unfinished JOURNAL REPORT SUMMARY COLUMNS CAUSE\n");
    return 2;
  }
  UnfinishedJob job = read_journal(std::atoi(words[1]));
  if (job.ranks.empty())
    return 0;
  job.run.cause = words[5];
  job.run.rank_count = job.rank_count;
  const Profile profile = merge(std::move(job.ranks), describe_source);
  if (std::strcmp(words[3], "1") == 0) {
    SummaryForm form = form_asked_for(words[2]);
    form.columns = std::strtoul(words[4], nullptr, 10);
    const std::string text = summary(job.run, profile, form);
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  const std::string path = words[2];
  const std::error_code error =
      path.empty() ? std::error_code{} : write_file(path, document(job.run, profile));
  if (!error)
    return 0;
  std::fprintf(stderr, "thalweg: %s\n", cannot_be_written(path, error.value()).c_str());
  return 1;
}
