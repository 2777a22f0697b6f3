// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Numbers the ranks anew while MPI starts, if that was asked for and is surely faster.

#include <string>

#include "job/mpi/agreement.hpp"
#include "machine/allocation.hpp"

namespace thalweg::mpi {

struct Placing {
  // Of each new rank its old one; empty where ranks stay. The same on all.
  std::vector<std::int32_t> old_rank_of;
  bool records = false; // there is no pattern yet: this run is to record it. The same on all
  std::string document; // for the report, a JSON object; on the first rank
  std::string line;     // for the summary; empty where nothing was asked for
};

// Decides for MPI_COMM_WORLD, whose ranks have these slots. Changes nothing yet. Called by all.
Placing decide_placing(const job::Agreement& everybody, const machine::Allocation& allocation, int nodes);

} // namespace thalweg::mpi
