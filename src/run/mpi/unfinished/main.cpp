// SPDX-License-Identifier: BSD-3-Clause

// The report of a job that has not ended by MPI_Finalize, from what its ranks left in journals. `thalweg run`
// starts this program when such a job has ended, and when a snapshot is wanted; `thalweg report FOLDER` and
// `thalweg top` do so too:
//
//     thalweg-unfinished REPORT SUMMARY COLUMNS CAUSE LOGS JOURNAL...
//
// REPORT is a file, - for stdout, or empty. SUMMARY is 1 where a summary is wanted. CAUSE says what ended the
// job. LOGS is the folder for jobs' logs (observe/job_log.hpp), or empty. A JOURNAL is the number of a
// descriptor, whose ranks are alive or have just ended, or a file that ranks have left.

#include "base/files.hpp"
#include "mpi/observe/form.hpp"
#include "mpi/observe/job_log.hpp"
#include "mpi/observe/journal_reader.hpp"
#include "mpi/observe/locations.hpp"
#include "mpi/observe/merging.hpp"
#include "mpi/observe/output.hpp"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <system_error>
#include <vector>

namespace {

using namespace thalweg::mpi::observe;

OpenJournal open_journal(const std::string& word) {
  if (!word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0)
    return {std::atoi(word.c_str()), true};
  return {open(word.c_str(), O_RDONLY | O_CLOEXEC), false};
}

int write_report(const std::string& path, const std::string& document) {
  if (path.empty())
    return 0;
  if (path == "-") {
    std::fwrite(document.data(), 1, document.size(), stdout);
    return 0;
  }
  const std::error_code error = thalweg::write_file(path, document);
  if (!error)
    return 0;
  std::fprintf(stderr, "thalweg: %s\n", cannot_be_written(path, error.value()).c_str());
  return 1;
}

void write_log(const std::string& folder, const RunDescription& run, const Profile& profile) {
  if (const std::error_code error = write_job_document(folder, run, profile))
    std::fprintf(stderr, "thalweg: %s\n", log_cannot_be_written(folder, error.message()).c_str());
}

} // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() < 6) {
    std::fprintf(stderr, "usage: thalweg-unfinished REPORT SUMMARY COLUMNS CAUSE LOGS JOURNAL...\n");
    return 2;
  }
  std::vector<OpenJournal> journals;
  for (std::size_t index = 5; index < words.size(); ++index)
    journals.push_back(open_journal(words[index]));
  UnfinishedJob job = read_journals(journals);
  if (job.ranks.empty())
    return 0;
  job.run.cause = words[3];
  job.run.rank_count = job.rank_count;
  const Profile profile = merge(std::move(job.ranks), find_source);
  if (words[1] == "1") {
    SummaryForm form = form_asked_for(words[0]);
    form.columns = std::strtoul(words[2].c_str(), nullptr, 10);
    const std::string text = summary(job.run, profile, form);
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  if (!words[4].empty())
    write_log(words[4], job.run, profile);
  return write_report(words[0], document(job.run, profile));
}
