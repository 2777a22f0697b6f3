#pragma once

// The interposer's first and last steps in a process.

#include <optional>

#include "mpi/report/report.hpp"
#include "nic/agent_connection.hpp"

namespace thalweg::mpi {

// After MPI_Init on all ranks of MPI_COMM_WORLD; asked before it, the agent has answered meanwhile.
void start_with_world(nic::AggregatorQuestion& question);

// After MPI_Session_init, or at the first call seen of a program whose MPI_Init was not seen.
void start_late();

// Before MPI_Finalize, once: gathers the report, which rank 0 writes when MPI has ended. Where our entry
// point is not called, the delete callback on MPI_COMM_SELF does both.
std::optional<GatheredReport> finish();

// After it.
void finish_report(GatheredReport report);

} // namespace thalweg::mpi
