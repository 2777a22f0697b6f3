// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Who ran what, when and where: what a report says of a run beside what it measured.

#include <cstdint>
#include <string>

namespace thalweg::mpi::observe {

struct JobFacts {
  std::string version;      ///< of Thalweg
  std::string start_time;   ///< of this rank's MPI, in UTC: "2026-11-29T21:50:12Z"
  std::string user;         ///< by the environment, else by number
  std::string folder;       ///< this rank works in
  std::string manager;      ///< "slurm", "pbs", "lsf", "flux"; empty where there is none
  std::string id;           ///< of its job
  std::string name;         ///< of the job
  std::string thread_level; ///< "single", "funneled", "serialized", "multiple"
};

/// Of this process, whose MPI began at that time of CLOCK_MONOTONIC. Asks nobody but the environment, since
/// every rank may ask.
JobFacts job_facts(std::uint64_t start_ns, std::string thread_level);

/// "2026-11-29T21:50:12Z", of seconds since 1970.
std::string utc_text(std::int64_t seconds);

} // namespace thalweg::mpi::observe
