// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi/call/call_event.hpp"

namespace thalweg::mpi {

// Records who sends how much to whom in the call. Gives a counter for further calls like it, which raises
// what was recorded, or null.
std::uint64_t* record_ended(const CallEvent& event);

} // namespace thalweg::mpi
