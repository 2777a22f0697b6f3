// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What all ranks recorded, gathered when the program ends.

#include "mpi/record/joined_recording.hpp"

namespace thalweg::mpi {

// Gathers what was recorded on rank 0 of the world, which keeps it in the program's file. Called by all.
KeptPattern keep_pattern();

} // namespace thalweg::mpi
