#pragma once

#include <string>

namespace thalweg::mpi {

// Gathers what all ranks recorded on rank 0 of MPI_COMM_WORLD, and writes the summary and the file that the
// settings ask for. `learned`: of learned.hpp, on rank 0. Collective over MPI_COMM_WORLD.
void report(const std::string& learned);

} // namespace thalweg::mpi
