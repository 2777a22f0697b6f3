// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/mpi_session.hpp"
#include "density/waves.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::examples::density {

struct Result {
  std::vector<Energies> energies; ///< by step
  std::uint64_t hash = 0;         ///< of all waves in the end
  double seconds = 0;
};

/// Collective. The same without objects, by MPI's collectives: each rank has some planes of all states. On
/// one rank this is the sequential program.
Result run_plain(Group const& world);

} // namespace thalweg::examples::density
