#pragma once

#include "engine/reductions.hpp"
#include "mpi/native.hpp"

namespace thalweg::mpi {

// The reduction that an operation of MPI on a datatype of MPI is, or nullptr if it is none of ours.
engine::Reduction reduction_of(MPI_Op op, MPI_Datatype type);

} // namespace thalweg::mpi
