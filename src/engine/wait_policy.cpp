#include "engine/wait_policy.hpp"

#include <ctime>
#include <sched.h>
#include <sys/prctl.h>

namespace thalweg::engine {

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

} // namespace thalweg::engine
