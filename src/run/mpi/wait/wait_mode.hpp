// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Waits that yield: blocking calls of the program made as nonblocking ones that are looked at now and then,
// with the core given away in between. Worth it where ranks outnumber cores and the library would spin.

#include "job/waiting.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/state/runtime.hpp"
#include "wait/waiter.hpp"

#include <atomic>
#include <string>

namespace thalweg::mpi {

/// What this library does when it waits.
LibraryWait library_wait();

/// From agreed values only, so that all ranks come to the same.
void decide_wait_mode(WaitPlan& plan, LibraryWait library, WaitMode mode, const job::Placement& placement);

/// For people: how ranks wait, and why.
std::string wait_text(const WaitPlan& plan, const job::Placement& placement);

inline bool yields_when_waiting() {
  return runtime.wait.yields;
}

inline wait::Settings waiting_settings() {
  return job::wait_policy(runtime.settings.waiting, true).settings;
}

inline wait::Waiter yielding_waiter() {
  return wait::Waiter{waiting_settings()};
}

/// After the program looked at something without waiting: one that keeps looking in vain gives its core away.
inline void looked_in_vain(bool in_vain) {
  if (!yields_when_waiting()) [[likely]] {
    return;
  }
  this_thread.looks_in_vain = in_vain ? this_thread.looks_in_vain + 1 : 0;
  constexpr int patience =
      32; // many programs look between pieces of work, which a pause each time would stretch
  if (in_vain && this_thread.looks_in_vain % patience == 0) {
    wait::System system;
    wait::yield_or_sleep(system, wait::thread_yield_history(), runtime.settings.waiting.sleep_us_min);
  }
}

} // namespace thalweg::mpi
