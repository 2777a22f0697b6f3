// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What all ranks have learned, for the report and the tuning file.

#include <string>
#include <vector>

#include "tune/tuning_file.hpp"

namespace thalweg::mpi {

class CommunicatorLearning;

// Keeps what a communicator has learned, where this rank is its first; called when it is freed.
void keep_learned(const CommunicatorLearning& learning);

struct Learned {
  std::string document; // JSON, an array; "" where nothing was learned
  std::vector<tune::Pick> picks;
};

// Gathers on rank 0 of MPI_COMM_WORLD; called by all.
Learned gather_learned();

} // namespace thalweg::mpi
