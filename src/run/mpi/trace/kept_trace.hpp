// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The trace of all ranks, put into one file when the program ends.

#include <string>

namespace thalweg::mpi {

// Begins: this process has joined the world, and computes from now on.
void begin_trace();

// Gathers the trace on rank 0 of the world, which keeps it beside the program's pattern. Called by all; gives
// a line for the summary, on rank 0.
std::string keep_trace();

} // namespace thalweg::mpi
