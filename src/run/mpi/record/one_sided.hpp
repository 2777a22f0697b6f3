// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What one-sided calls move, counted by the rank whose memory they reach.

#include <cstdint>

#include "mpi/abi/native.hpp"
#include "mpi/observe/call_table.hpp"
#include "mpi/record/traffic_names.hpp"

namespace thalweg::mpi {

// A call that writes and reads so much of the memory of that rank of the window. MPI_PROC_NULL and what is no
// rank count nothing.
void record_one_sided(const observe::CallRow& row, MPI_Win window, int target, std::uint64_t written,
                      std::uint64_t read);
// The window is about to be freed.
void recorded_window_freed(MPI_Win window);

} // namespace thalweg::mpi
