// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/job_facts.hpp"

#include "mpi/observe/ticks.hpp"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace thalweg::mpi::observe {

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string first_of(std::initializer_list<const char*> names) {
  for (const char* const name : names)
    if (std::string value = variable(name); !value.empty())
      return value;
  return "";
}

struct Manager {
  const char* name;
  const char* id;
  const char* job_name;
};

constexpr Manager managers[] = {{"slurm", "SLURM_JOB_ID", "SLURM_JOB_NAME"},
                                {"pbs", "PBS_JOBID", "PBS_JOBNAME"},
                                {"lsf", "LSB_JOBID", "LSB_JOBNAME"},
                                {"flux", "FLUX_JOB_ID", "FLUX_JOB_NAME"}};

void add_job(JobFacts& facts) {
  for (const Manager& manager : managers) {
    if (std::string id = variable(manager.id); !id.empty()) {
      facts.manager = manager.name;
      facts.id = std::move(id);
      facts.name = variable(manager.job_name);
      return;
    }
  }
}

} // namespace

std::string utc_text(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

JobFacts job_facts(std::uint64_t start_ns, std::string thread_level) {
  JobFacts facts;
  facts.version = THALWEG_VERSION;
  const auto since = std::chrono::nanoseconds(monotonic_ns() - start_ns);
  const auto start = std::chrono::system_clock::now() - since;
  facts.start_time =
      utc_text(std::chrono::duration_cast<std::chrono::seconds>(start.time_since_epoch()).count());
  // Accounts are not looked up: that may ask a server.
  facts.user = first_of({"USER", "LOGNAME"});
  if (facts.user.empty())
    facts.user = fmt::format("{}", getuid());
  std::error_code error;
  facts.folder = std::filesystem::current_path(error).string();
  facts.thread_level = std::move(thread_level);
  add_job(facts);
  return facts;
}

} // namespace thalweg::mpi::observe
