// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace thalweg::mpi {

// Raised when choices, communicators or what is remembered of calls changes, so that all threads forget the
// calls that they know (run/fast_path.hpp).
inline constinit std::atomic<std::uint32_t> call_epoch{1};

inline void invalidate_fast_path() {
  call_epoch.fetch_add(1, std::memory_order_relaxed);
}

} // namespace thalweg::mpi
