// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages of the program's own, counted by whom they go to.

#include "mpi/abi/native.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/observe/call_table.hpp"
#include "mpi/observe/traffic_table.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::mpi {

/// A message to that rank of the communicator: of its remote group where it has one. MPI_PROC_NULL and what
/// is no rank count nothing.
void record_message(observe::CallRow& row, const CommunicatorState& communicator, int destination,
                    std::uint64_t bytes);

/// The persistent request sends this each time it is started, to ranks of the world; until it is freed.
void record_persistent(const observe::CallRow& row, const char* by, std::vector<observe::PeerTraffic> peers,
                       MPI_Request request);
void record_persistent_message(const observe::CallRow& row, const CommunicatorState& communicator,
                               int destination, std::uint64_t bytes, MPI_Request request);
void recorded_request_started(MPI_Request request);
void recorded_request_freed(MPI_Request request);

// What one-sided calls move, counted by the rank whose memory they reach.

/// A call that writes and reads so much of the memory of that rank of the window. MPI_PROC_NULL and what is
/// no rank count nothing.
void record_one_sided(const observe::CallRow& row, MPI_Win window, int target, std::uint64_t written,
                      std::uint64_t read);
/// The window is about to be freed.
void recorded_window_freed(MPI_Win window);

} // namespace thalweg::mpi
