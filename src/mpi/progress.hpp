#pragma once

// Our own operations in flight advance whenever the program makes an MPI call.

#include <atomic>

namespace thalweg::mpi {

inline constinit std::atomic<int> executions_in_flight{0};

void progress_all_executions() noexcept;

inline void progress_executions() {
  if (executions_in_flight.load(std::memory_order_relaxed) > 0) [[unlikely]] {
    progress_all_executions();
  }
}

} // namespace thalweg::mpi
