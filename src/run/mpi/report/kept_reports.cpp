// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/report/kept_reports.hpp"

#include "base/of_process.hpp"
#include "mpi/observe/stream_reports.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/state/settings.hpp"

#include <mutex>
#include <utility>

namespace thalweg::mpi {

namespace {

// Of a process: programs that make a stream for each of their steps would have a long report.
constexpr std::size_t max_reports = 100;

struct KeptReports {
  std::mutex mutex;
  std::vector<std::string> reports;
};

KeptReports& kept_reports() {
  return of_process<KeptReports>();
}

} // namespace

void keep_stream_report(const char* json) {
  if (json == nullptr || !wants_report(runtime.settings)) {
    return;
  }
  std::string report = observe::located_stream(json);
  const std::lock_guard lock(kept_reports().mutex);
  if (!report.empty() && kept_reports().reports.size() < max_reports) {
    kept_reports().reports.push_back(std::move(report));
  }
}

std::vector<std::string> take_stream_reports() {
  const std::lock_guard lock(kept_reports().mutex);
  return std::exchange(kept_reports().reports, {});
}

} // namespace thalweg::mpi
