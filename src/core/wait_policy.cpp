#include "core/wait_policy.hpp"

#include <ctime>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace thalweg {

namespace {

constinit thread_local CoreClimate climate{};
constinit thread_local bool timer_is_sharp = false;

// By default the kernel adds up to 50 us to a sleep, more than the sleeps here.
void sharpen_timer() {
  if (!timer_is_sharp) {
    timer_is_sharp = true;
    prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
  }
}

} // namespace

// Once that somebody computes for long, trials cost one part in a hundred of the time, on each rank. One long
// yield among many short ones says nothing: some daemon ran, or another machine's guest.
void CoreClimate::yielded(std::uint64_t before_ns, std::uint64_t after_ns, std::uint32_t long_yield_us) {
  constexpr std::uint64_t few = 16;
  constexpr std::uint64_t most_sleep_per_yield = 100;
  const std::uint64_t taken_ns = after_ns - before_ns;
  if (taken_ns <= std::uint64_t{1000} * long_yield_us) {
    ++short_yields_;
    return;
  }
  if (short_yields_ < few) {
    sleep_until_ns_ = after_ns + sleep_per_yield_ * taken_ns;
    sleep_per_yield_ = std::min(2 * sleep_per_yield_, most_sleep_per_yield);
  } else {
    sleep_per_yield_ = 1;
  }
  short_yields_ = 0;
}

// What was learnt of the core before says nothing of this one.
void CoreClimate::arrived() {
  sleep_until_ns_ = 0;
  short_yields_ = UINT32_MAX;
  sleep_per_yield_ = 1;
}

CoreClimate& thread_climate() {
  return climate;
}

std::uint64_t WaitSystem::now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

void WaitSystem::relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Not the C library's function, before which the interposers put their own.
void WaitSystem::yield() {
  ::syscall(SYS_sched_yield);
}

int WaitSystem::core() {
  return sched_getcpu();
}

std::optional<cpu_set_t> WaitSystem::allowed_cores() {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? std::optional(allowed) : std::nullopt;
}

bool WaitSystem::move_to(int core, const cpu_set_t& allowed) {
  cpu_set_t there;
  CPU_ZERO(&there);
  CPU_SET(core, &there);
  return sched_setaffinity(0, sizeof there, &there) == 0 &&
         sched_setaffinity(0, sizeof allowed, &allowed) == 0;
}

void WaitSystem::sleep_us(std::uint32_t duration) {
  sharpen_timer();
  const timespec time{static_cast<time_t>(duration / 1'000'000U),
                      static_cast<long>(duration % 1'000'000U) * 1000};
  nanosleep(&time, nullptr);
}

} // namespace thalweg
