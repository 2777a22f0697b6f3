// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What goes on in the background: our own operations in flight, groups on network devices, and the process's
// streams. All progress whenever the program makes an MPI call, and while it waits in one.

#include "mpi/abi/looks.hpp"
#include "mpi/state/process_state.hpp"

#include <atomic>

namespace thalweg::mpi {

inline bool has_background_work() {
  return process.background.work.load(std::memory_order_acquire) > 0;
}

inline bool has_only_executions() {
  return process.background.work.load(std::memory_order_acquire) ==
         process.background.executions.load(std::memory_order_acquire);
}

inline void progress_executions(AdvancedFrom place = AdvancedFrom::outside) {
  if (process.background.executions.load(std::memory_order_acquire) > 0) {
    process.background.advance_executions.load(std::memory_order_relaxed)(place);
  }
}

// Operations of ours (run/requests.cpp), groups on network cards (offload/nic_watch.cpp), and streams
// (stream_hooks.cpp). Has anything of these moved?
inline bool progress_background(bool waits) {
  progress_executions();
  if (const auto look = process.background.look_after_nics.load(std::memory_order_relaxed)) {
    look();
  }
  const auto streams = process.background.progress_streams.load(std::memory_order_relaxed);
  return streams != nullptr && streams(waits);
}

// In a call of the program.
inline void progress_in_call() {
  ++looks_begun;
  if (has_background_work()) [[unlikely]] {
    progress_background(false);
  }
}

// Between two looks for what a call of the program waits for.
inline bool progress_in_wait() {
  return has_background_work() && progress_background(true);
}

} // namespace thalweg::mpi
