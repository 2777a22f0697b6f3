// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The tuning file and the machine file at the start of a job and at its end: rank 0 reads and writes them.

#include "job/knowledge.hpp"

#include <string>
#include <vector>

namespace thalweg::mpi {

/// Of this job, once its placement is known.
machine::Fingerprint job_fingerprint();

/// It as text, a line for each part (include/thalweg/control.h).
std::string fingerprint_text();

/// What the tuning file at `path` says of this job, with what takes effect in it as `use`: algorithms of the
/// library are native where the library was told of them when the job started. Throws Error where the file
/// does not read.
job::FoundPicks read_tuning(const std::string& path);

/// The machine file of this job, or a default machine where it was not probed; of this rank alone.
const machine::Machine& known_machine();

/// The machine file, for what it says of the network between nodes; without a network where there is none. Of
/// this rank alone, also where no tuning file is used.
machine::Machine network_machine();

/// Adds what was learned to the tuning file; on rank 0. What cannot be written is said to be lost.
void save_learned(const std::vector<tune::Pick>& picks, const std::vector<tune::Pick>& nonblocking);

} // namespace thalweg::mpi
