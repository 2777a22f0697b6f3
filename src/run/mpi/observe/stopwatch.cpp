// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/stopwatch.hpp"

#include <algorithm>
#include <ctime>
#include <limits>

namespace thalweg::mpi::observe {

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

} // namespace thalweg::mpi::observe
