// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/mpi_session.hpp"
#include "molecules/cells.hpp"

#include <vector>

namespace thalweg::examples::molecules {

struct Result {
  std::vector<Energies> energies; ///< by step
  std::uint64_t hash = 0;         ///< of where all atoms are in the end
  double seconds = 0;
};

/// Collective. The same without objects, by MPI's collectives: all ranks know all atoms, and each moves those
/// of its part of the cells. On one rank this is the sequential program. The result is rank 0's.
Result run_plain(Group const& world);

} // namespace thalweg::examples::molecules
