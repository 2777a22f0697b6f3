// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The clock and the scheduler as waiting needs them, replaced in tests.

#include <cstdint>
#include <optional>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace thalweg::wait {

struct System {
  static std::uint64_t now_ns();
  static void relax();
  /// Not by the C library's function, before which the interposers put their own. After each yield, code and
  /// stack of whoever calls have to be brought into the caches again, so there is nothing between.
  static void yield() {
#if defined(__x86_64__)
    long result = SYS_sched_yield;
    asm volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
#else
    ::syscall(SYS_sched_yield);
#endif
  }
  static void sleep_us(std::uint32_t duration);
  static int core();
  /// The cores that the thread may run on, unless the kernel does not say.
  static std::optional<cpu_set_t> allowed_cores();
  /// Whether another core may be better than one that takes long to come back, unless the kernel does not
  /// say.
  static bool may_another_core_be_better();
  /// Brings the thread to `core`, and leaves it allowed where it was; false if it may not.
  static bool move_to(int core, const cpu_set_t& allowed);
};

} // namespace thalweg::wait
