#pragma once

// The interposer's first and last steps in a process.

namespace thalweg::mpi {

// After MPI_Init on all ranks of MPI_COMM_WORLD.
void start_with_world();

// After MPI_Session_init, or at the first call seen of a program whose MPI_Init was not seen.
void start_late();

// Before MPI_Finalize (from our entry point, or the delete callback on MPI_COMM_SELF); makes the report.
// Once.
void finish();

} // namespace thalweg::mpi
