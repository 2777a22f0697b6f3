// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What goes on in the background: our own operations in flight, groups on network devices, and the process's
// streams. All progress whenever the program makes an MPI call, and while it waits in one.

#include "mpi/abi/looks.hpp"

#include <atomic>

namespace thalweg::mpi {

inline constinit std::atomic<int> executions_in_flight{0};
// These, one for each group on network devices, and one for each library with streams: calls look at no more
// than this.
inline constinit std::atomic<int> background_work{0};

inline bool has_background_work() {
  return background_work.load(std::memory_order_acquire) > 0;
}

inline bool has_only_executions() {
  return background_work.load(std::memory_order_acquire) ==
         executions_in_flight.load(std::memory_order_acquire);
}

// Where operations are advanced: those that complete inside of the library's progress are told to the library
// afterwards.
enum class Place { outside, in_progress };

// Advances all operations. Set by whoever puts the first one in flight (run/requests.cpp), before it counts
// it.
using Advance = void (*)(Place);
inline constinit std::atomic<Advance> advance_executions{nullptr};

inline void progress_executions(Place place = Place::outside) {
  if (executions_in_flight.load(std::memory_order_acquire) > 0) {
    advance_executions.load(std::memory_order_relaxed)(place);
  }
}

// Lets streams progress. `waits`: the program has nothing else to do, so they are looked after at once, and
// not now and then. Has anything of theirs moved? Set before streams are counted (stream_hooks.cpp).
using ProgressStreams = bool (*)(bool waits);
inline constinit std::atomic<ProgressStreams> progress_streams{nullptr};

// Looks after groups on network devices. Set before they are counted (offload/nic_watch.cpp).
using LookAfterNics = void (*)();
inline constinit std::atomic<LookAfterNics> look_after_nics{nullptr};

inline bool progress_background(bool waits) {
  progress_executions();
  if (const LookAfterNics look = look_after_nics.load(std::memory_order_relaxed); look != nullptr) {
    look();
  }
  const ProgressStreams streams = progress_streams.load(std::memory_order_relaxed);
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
