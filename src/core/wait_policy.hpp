#pragma once

// How to wait when others may need the core: poll, then yield, then sleep, ever longer.
//
// A waiter is made when a wait begins; pause() is called after each unsuccessful look. For the first
// `poll_us` it returns at once; then it gives the core to any rank that can run (sched_yield); after
// `yield_us` more it sleeps, for a 64th of the time waited so far between `sleep_us_min` and `sleep_us_max`,
// so that a long wait costs no CPU. The part is as small because what is waited for may be a row of steps
// that a library takes in several looks, on several ranks. Where ranks slept an eighth of their wait, these
// looks took longer than `yield_us`, so that those who waited for them slept as long in their turn: now and
// then MPICH's all-gathers of 100 us fell into taking 7 ms each, and stayed there.
//
// Yielding takes a microsecond where those who run are waiting politely too. Where somebody computes (a
// foreign process, or a rank), it takes all of that one's time slices, some milliseconds. A short sleep then
// brings the core back sooner, since the kernel lets a process that wakes up interrupt one that has computed
// for long. So a thread that has met with a long yield goes to another core if it has lost less there
// (core/taken_cores.hpp); one that has met with two of them shortly after one another, and has no better
// core, sleeps instead for as long as the yield took before it tries the next, and twice as long each time
// that it finds the same.

#include "core/taken_cores.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace thalweg {

struct WaitSettings {
  std::uint32_t poll_us = 0;
  std::uint32_t yield_us = 5000;
  std::uint32_t sleep_us_min = 20;
  std::uint32_t sleep_us_max = 1000;
  std::uint32_t long_yield_us = 200; // yields that take longer than this have met somebody who computes
};

// The clock and the scheduler; replaced in tests.
struct WaitSystem {
  static std::uint64_t now_ns();
  static void relax();
  static void yield();
  static void sleep_us(std::uint32_t duration);
  static int core();
  /// The cores that the thread may run on, unless the kernel does not tell.
  static std::optional<cpu_set_t> allowed_cores();
  /// Brings the thread to `core`, and leaves it allowed where it was; false if it may not.
  static bool move_to(int core, const cpu_set_t& allowed);
};

// What a thread has learnt of its cores.
class CoreClimate {
public:
  bool prefers_sleep(std::uint64_t now_ns) const { return now_ns < sleep_until_ns_; }

  void yielded(std::uint64_t before_ns, std::uint64_t after_ns, std::uint32_t long_yield_us);

  /// What yields take among ranks, which combine long vectors in between, is less; time slices are more.
  static constexpr std::uint64_t worth_leaving_ns = 1'000'000;

  /// After a yield that took so long: goes to a better core, if there is one.
  template <class System>
  void leave(System& system, int core, std::uint64_t before_ns, std::uint64_t after_ns) {
    taken_.lost(core, after_ns, after_ns - before_ns);
    if (stays_ || system.core() != core)
      return; // the kernel has moved it
    const std::optional<cpu_set_t> allowed = system.allowed_cores();
    const std::optional<int> better =
        allowed ? taken_.better_than(core, after_ns, *allowed) : std::optional<int>();
    if (!better)
      return;
    stays_ = !system.move_to(*better, *allowed);
    if (!stays_)
      arrived();
  }

private:
  void arrived();

  TakenCores taken_;
  bool stays_ = false; // it may not move
  std::uint64_t sleep_until_ns_ = 0;
  std::uint64_t short_yields_ = UINT32_MAX; // since the last long one; no long one was met yet
  std::uint64_t sleep_per_yield_ = 1;
};

CoreClimate& thread_climate();

// Yields, and leaves the core for a better one if that took long; gives the time after it.
template <class System>
std::uint64_t yield_and_leave(System& system, CoreClimate& climate, std::uint64_t before_ns,
                              std::uint32_t long_yield_us = WaitSettings{}.long_yield_us) {
  const int core = system.core();
  system.yield();
  const std::uint64_t after_ns = system.now_ns();
  climate.yielded(before_ns, after_ns, long_yield_us);
  if (after_ns - before_ns > CoreClimate::worth_leaving_ns) [[unlikely]]
    climate.leave(system, core, before_ns, after_ns);
  return after_ns;
}

// One pause that gives the core away; gives the time after it.
template <class System>
std::uint64_t give_way(System& system, CoreClimate& climate, std::uint32_t sleep_us,
                       std::uint32_t long_yield_us = WaitSettings{}.long_yield_us) {
  const std::uint64_t before_ns = system.now_ns();
  if (climate.prefers_sleep(before_ns)) {
    system.sleep_us(sleep_us);
    return system.now_ns();
  }
  return yield_and_leave(system, climate, before_ns, long_yield_us);
}

template <class System = WaitSystem>
class BasicWaiter {
public:
  explicit BasicWaiter(const WaitSettings& settings, CoreClimate& climate = thread_climate(),
                       System system = {})
      : settings_(settings), climate_(climate), system_(system) {}

  void pause() {
    if (!waiting_) {
      waiting_ = true;
      begin_ns_ = now_ns_ = system_.now_ns();
    }
    const std::uint64_t waited_us = (now_ns_ - begin_ns_) / 1000;
    if (waited_us < settings_.poll_us) {
      system_.relax();
      now_ns_ = system_.now_ns();
    } else if (waited_us < std::uint64_t{settings_.poll_us} + settings_.yield_us) {
      now_ns_ = give_way(system_, climate_, sleep_us(waited_us), settings_.long_yield_us);
    } else {
      system_.sleep_us(sleep_us(waited_us));
      now_ns_ = system_.now_ns();
    }
  }

  // Something moved: the wait begins anew.
  void reset() { waiting_ = false; }

private:
  static constexpr std::uint64_t part_slept = 64; // one in so many

  std::uint32_t sleep_us(std::uint64_t waited_us) const {
    const auto low = std::uint64_t{settings_.sleep_us_min};
    const auto high = std::max(low, std::uint64_t{settings_.sleep_us_max});
    return static_cast<std::uint32_t>(std::clamp(waited_us / part_slept, low, high));
  }

  WaitSettings settings_;
  CoreClimate& climate_;
  System system_;
  bool waiting_ = false;
  std::uint64_t begin_ns_ = 0;
  std::uint64_t now_ns_ = 0;
};

using Waiter = BasicWaiter<>;

} // namespace thalweg
