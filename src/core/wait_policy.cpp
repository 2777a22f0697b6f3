#include "core/wait_policy.hpp"

#include <ctime>
#include <sched.h>
#include <sys/prctl.h>

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

void WaitSystem::yield() {
  sched_yield();
}

void WaitSystem::sleep_us(std::uint32_t duration) {
  sharpen_timer();
  const timespec time{static_cast<time_t>(duration / 1'000'000U),
                      static_cast<long>(duration % 1'000'000U) * 1000};
  nanosleep(&time, nullptr);
}

} // namespace thalweg
