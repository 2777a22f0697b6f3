// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The cheapest clock that all cores of a node share: the processor's time stamp counter, calibrated against
// CLOCK_MONOTONIC, or CLOCK_MONOTONIC itself where the counter is not steady.

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace thalweg::mpi::observe {

inline constinit bool counter_is_steady = false;

/// Calls under the first are brief, over the second lengthy: about 2 and 50 microseconds, of a clock in
/// nanoseconds or of a counter at about 3 GHz. The third is about a millisecond: two readings of a thread's
/// CPU clock, of up to a microsecond each, take a fifth of a percent of that.
inline std::uint64_t brief_ticks() {
  return counter_is_steady ? 6'000 : 2'000;
}
inline std::uint64_t lengthy_ticks() {
  return counter_is_steady ? 150'000 : 50'000;
}
inline std::uint64_t cpu_reading_period_ticks() {
  return counter_is_steady ? 3'000'000 : 1'000'000;
}

inline std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

/// The CPU clock of this thread.
std::uint64_t thread_cpu_ns();
/// What one reading of it adds to the time between two.
std::uint64_t thread_cpu_reading_ns();

inline std::uint64_t ticks() {
#if defined(__x86_64__)
  if (counter_is_steady) [[likely]] {
    return __rdtsc();
  }
#endif
  return monotonic_ns();
}

/// Two readings of both clocks, far apart, turn ticks into nanoseconds of CLOCK_MONOTONIC.
class TickScale {
public:
  void begin(); ///< decides counter_is_steady
  void finish();
  void finish_at(std::uint64_t end_ns, std::uint64_t end_ticks); ///< what the clocks were then
  double ns_per_tick() const { return ns_per_tick_; }
  double ns_so_far(std::uint64_t ticks) const; ///< what so many ticks are, before finish()
  double monotonic_ns_at(std::uint64_t ticks) const;

private:
  std::uint64_t begin_ticks_ = 0;
  std::uint64_t begin_ns_ = 0;
  double ns_per_tick_ = 1.0;
};

} // namespace thalweg::mpi::observe
