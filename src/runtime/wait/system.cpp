// SPDX-License-Identifier: BSD-3-Clause
#include "wait/system.hpp"

#include "wait/foreign_load.hpp"

#include <ctime>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace thalweg::wait {

namespace {

constinit thread_local bool timer_is_sharp = false;

// By default the kernel adds up to 50 us to a sleep, more than the sleeps here.
void sharpen_timer() {
  if (!timer_is_sharp) {
    timer_is_sharp = true;
    prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
  }
}

} // namespace

std::uint64_t System::now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

void System::relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

int System::core() {
  return sched_getcpu();
}

std::optional<cpu_set_t> System::allowed_cores() {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? std::optional(allowed) : std::nullopt;
}

bool System::may_another_core_be_better() {
  static const int cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const std::optional<int> runnable = runnable_threads();
  return !runnable ||
         wait::may_another_core_be_better(*runnable, ranks_here.load(std::memory_order_relaxed), cores);
}

bool System::move_to(int core, const cpu_set_t& allowed) {
  cpu_set_t there;
  CPU_ZERO(&there);
  CPU_SET(core, &there);
  return sched_setaffinity(0, sizeof there, &there) == 0 &&
         sched_setaffinity(0, sizeof allowed, &allowed) == 0;
}

// Nor here: its function is a point of cancellation. A thread that is canceled in a wait would leave its part
// in a collective there, or a library's lock; it stays until the library lets it go, or the call returns.
void System::sleep_us(std::uint32_t duration) {
  sharpen_timer();
  const timespec time{static_cast<time_t>(duration / 1'000'000U),
                      static_cast<long>(duration % 1'000'000U) * 1000};
  ::syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, nullptr);
}

} // namespace thalweg::wait
