// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The interposer's last steps in a process.

#include "mpi/report/report.hpp"

#include <optional>

namespace thalweg::mpi {

/// Before MPI_Finalize, once: gathers the report, which rank 0 writes when MPI has ended.
std::optional<GatheredReport> finish();

/// After it.
void finish_report(GatheredReport report);

/// Both, from the delete callback on MPI_COMM_SELF: the program's MPI_Finalize did not come to our entry
/// point, and nothing of ours comes later.
void finish_unseen();

} // namespace thalweg::mpi
