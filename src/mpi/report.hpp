#pragma once

namespace thalweg::mpi {

// Gathers what all ranks recorded on rank 0 of MPI_COMM_WORLD, and writes the summary and the file that the
// settings ask for. Collective over MPI_COMM_WORLD.
void report();

} // namespace thalweg::mpi
