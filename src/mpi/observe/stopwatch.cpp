#include "mpi/observe/stopwatch.hpp"

#include <ctime>

namespace thalweg::mpi::observe {

std::uint64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace thalweg::mpi::observe
