// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/ticks.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace thalweg::mpi::observe {

namespace {

// The kernel trusts the counter as its own clock only after having compared all cores'.
bool kernel_trusts_counter() {
#if defined(__x86_64__)
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string source;
  file >> source;
  return source == "tsc";
#else
  return false;
#endif
}

} // namespace

std::uint64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t thread_cpu_reading_ns() {
  static const std::uint64_t reading_ns = [] {
    std::uint64_t min_ns = std::numeric_limits<std::uint64_t>::max();
    for (int reading = 0; reading < 16; ++reading) {
      const std::uint64_t before = thread_cpu_ns();
      min_ns = std::min(min_ns, thread_cpu_ns() - before);
    }
    return min_ns;
  }();
  return reading_ns;
}

void TickScale::begin() {
  counter_is_steady = kernel_trusts_counter();
  begin_ns_ = monotonic_ns();
  begin_ticks_ = ticks();
}

void TickScale::finish() {
  ns_per_tick_ = ns_so_far(1);
}

void TickScale::finish_at(std::uint64_t end_ns, std::uint64_t end_ticks) {
  const bool is_scaled = counter_is_steady && end_ticks > begin_ticks_ && end_ns >= begin_ns_;
  ns_per_tick_ = is_scaled
                     ? static_cast<double>(end_ns - begin_ns_) / static_cast<double>(end_ticks - begin_ticks_)
                     : 1.0;
}

double TickScale::ns_so_far(std::uint64_t count) const {
  TickScale now = *this;
  now.finish_at(monotonic_ns(), ticks());
  return static_cast<double>(count) * now.ns_per_tick_;
}

double TickScale::monotonic_ns_at(std::uint64_t at) const {
  const auto since = static_cast<double>(static_cast<std::int64_t>(at - begin_ticks_));
  return static_cast<double>(begin_ns_) + since * ns_per_tick_;
}

} // namespace thalweg::mpi::observe
