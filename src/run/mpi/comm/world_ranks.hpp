// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The ranks of a group by their numbers in the world.

#include <vector>

#include "mpi/abi/native.hpp"

namespace thalweg::mpi {

// Of each of the group's ranks in order; MPI_UNDEFINED for those that are not of the world.
std::vector<int> world_ranks_of(MPI_Group group);

} // namespace thalweg::mpi
