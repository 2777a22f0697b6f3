// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What this rank saw, as the report has it.

#include "mpi/observe/profile.hpp"

namespace thalweg::mpi {

/// Of a rank of the world; 0 before the ranks' places are known.
int node_of(int rank);

/// Once, when the program makes no more calls.
observe::RankProfile own_profile();

} // namespace thalweg::mpi
