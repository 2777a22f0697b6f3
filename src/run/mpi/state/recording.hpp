// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace thalweg::mpi {

// Set by MPI_Pcontrol: nothing is recorded while it is off.
inline constinit bool recording = true;
inline constinit std::uint16_t phase = 0;

// Calls are timed for the report. Looked at only where `recording` holds.
inline constinit bool reports = false;

// Who sends how much to whom is recorded too. Looked at only where `recording` holds.
inline constinit bool records_traffic = false;

// Calls are traced in their order. Looked at only where `recording` holds.
inline constinit bool traces = false;

} // namespace thalweg::mpi
