// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A clock that is read for each message: the processor's, where it has one that runs evenly.

#include "wait/system.hpp"

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace thalweg::objects {

inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __rdtsc(); // 8 ns, and 20 ns that of the system
#else
  return wait::System::now_ns();
#endif
}

/// How long ticks are, found out while time goes by.
class TickLength {
public:
  double seconds() const {
    const std::uint64_t passed = ticks() - begin_ticks_;
    return passed == 0
               ? 0
               : 1e-9 * static_cast<double>(wait::System::now_ns() - begin_ns_) / static_cast<double>(passed);
  }

private:
  std::uint64_t begin_ticks_ = ticks();
  std::uint64_t begin_ns_ = wait::System::now_ns();
};

/// The clocks of this thread, for LoadClock.
class ThreadClock {
public:
  static std::uint64_t ticks() { return objects::ticks(); }
  static std::uint64_t processor_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    constexpr std::uint64_t ns_per_s = 1'000'000'000;
    return static_cast<std::uint64_t>(now.tv_sec) * ns_per_s + static_cast<std::uint64_t>(now.tv_nsec);
  }
  double ns_per_tick() const { return 1e9 * length_.seconds(); }

private:
  TickLength length_;
};

} // namespace thalweg::objects
