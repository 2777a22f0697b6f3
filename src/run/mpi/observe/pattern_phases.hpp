// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The phases that a recorded pattern is divided into: one for each level that the program gives MPI_Pcontrol,
// and the first one before that.

#include <cstdint>
#include <vector>

namespace thalweg::mpi::observe {

struct PatternPhase {
  int level = 1; // of MPI_Pcontrol
  std::uint64_t repeats = 1;
};

inline constinit std::uint32_t pattern_phase = 0; // the one under way, in all_pattern_phases()

// Begins the phase of that level once more. By the thread that calls MPI_Pcontrol; others see it when they
// see it.
void begin_pattern_phase(int level);

std::vector<PatternPhase>& all_pattern_phases();

} // namespace thalweg::mpi::observe
