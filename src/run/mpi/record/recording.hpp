// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The recording of who sends how much to whom: it hears of each call that has ended, and is kept at the end.

#include "mpi/call/call_event.hpp"
#include "mpi/record/joined_recording.hpp"

#include <cstdint>

namespace thalweg::mpi {

/// Records who sends how much to whom in the call. Gives a counter for further calls like it, which raises
/// what was recorded, or null.
std::uint64_t* record_ended(const CallEvent& event);

/// Gathers what was recorded on rank 0 of the world, which keeps it in the program's file. Called by all.
KeptPattern keep_pattern();

} // namespace thalweg::mpi
