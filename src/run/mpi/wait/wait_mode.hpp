// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Waits that yield: blocking calls of the program made as nonblocking ones that are looked at now and then,
// with the core given away in between. Worth it where ranks outnumber cores and the library would spin.

#include <atomic>
#include <string>

#include "job/waiting.hpp"
#include "mpi/state/runtime.hpp"
#include "wait/waiter.hpp"

namespace thalweg::mpi {

struct Spinning {
  bool spins; // the library keeps its core while it waits
  std::string reason;
};

// What this library does when it waits, as far as its settings tell.
Spinning library_spinning();

// From agreed values only, so that all ranks come to the same.
void decide_wait_mode(Runtime& runtime, const Spinning& spinning);

// Whether threads that call sched_yield and get their core back late go to another (yield.cpp).
inline constinit std::atomic<bool> leaves_contended_cores{false};

inline bool yields_when_waiting() {
  return runtime.yields;
}

inline wait::Settings waiting_settings() {
  return job::wait_policy(runtime.settings.waiting, true).settings;
}

inline wait::Waiter yielding_waiter() {
  return wait::Waiter{waiting_settings()};
}

// After the program looked at something without waiting: one that keeps looking in vain gives its core away.
inline constinit thread_local int looks_in_vain = 0;
inline void looked_in_vain(bool in_vain) {
  if (!yields_when_waiting()) [[likely]] {
    return;
  }
  looks_in_vain = in_vain ? looks_in_vain + 1 : 0;
  constexpr int patience =
      32; // many programs look between pieces of work, which a pause each time would stretch
  if (in_vain && looks_in_vain % patience == 0) {
    wait::System system;
    wait::yield_or_sleep(system, wait::thread_yield_history(), runtime.settings.waiting.sleep_us_min);
  }
}

} // namespace thalweg::mpi
