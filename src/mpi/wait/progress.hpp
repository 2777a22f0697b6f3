#pragma once

// Our own operations in flight advance whenever the program makes an MPI call, and while it waits in one.

#include <atomic>

namespace thalweg::mpi {

inline constinit std::atomic<int> executions_in_flight{0};

// Advances all of them. Set by whoever puts the first one in flight (run/requests.cpp), before it counts it.
using Advance = void (*)() noexcept;
inline constinit std::atomic<Advance> advance_executions{nullptr};

inline void progress_executions() {
  if (executions_in_flight.load(std::memory_order_acquire) > 0) [[unlikely]] {
    advance_executions.load(std::memory_order_relaxed)();
  }
}

} // namespace thalweg::mpi
