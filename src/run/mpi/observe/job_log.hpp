// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A job in a few kilobytes, for a center that keeps one file of each: who ran what, how long ranks were in
// MPI and waited, and at which calls. `thalweg site` reads them.

#include "mpi/observe/output.hpp"

#include <string>
#include <system_error>

namespace thalweg::mpi::observe {

/// JSON on one line, format "thalweg-job" version 1.
std::string job_document(const RunDescription& run, const Profile& profile);

/// Writes it into a folder, which is made: %Y, %m, %d and the like in its name stand for when the job began
/// (strftime(3)). No two jobs have a file of the same name.
std::error_code write_job_document(const std::string& folder, const RunDescription& run,
                                   const Profile& profile);

} // namespace thalweg::mpi::observe
