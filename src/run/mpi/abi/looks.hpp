// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How many calls of the program, and looks of loops of our own, this thread has begun. The library's progress
// belongs to the same wait as long as none begins (wait/library_progress.cpp).

#include <cstdint>

namespace thalweg::mpi {

inline constinit thread_local std::uint32_t looks_begun = 0;

} // namespace thalweg::mpi
