// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// pattern::Site::by and TrafficKey::by of what no collective sent.

namespace thalweg::mpi {

// The program's own messages.
inline constexpr const char* by_call = "call";
// What this process reads from a peer: the peer sends it.
inline constexpr const char* by_read = "read";

} // namespace thalweg::mpi
