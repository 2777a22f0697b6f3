// SPDX-License-Identifier: BSD-3-Clause
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
// Yielding takes a microsecond where those who run are waiting by yielding too. Where somebody computes (a
// foreign process, or a rank), it takes all of that one's time slices, some milliseconds. A short sleep then
// brings the core back sooner, since the kernel lets a process that wakes up interrupt one that has computed
// for long. So a thread that has met with a long yield goes to another core if it has lost less there
// (wait/yield_history.hpp); one that has met with two of them shortly after one another, and has no better
// core, sleeps instead for as long as the yield took before it tries the next, and twice as long each time
// that it finds the same.

#include "wait/yield_history.hpp"

#include <algorithm>
#include <cstdint>

namespace thalweg::wait {

/// How long a wait sleeps next that has lasted so long.
inline std::uint32_t sleep_us_after(const Settings& settings, std::uint64_t waited_us) {
  constexpr std::uint64_t part_slept = 64; // one in so many
  const auto low = std::uint64_t{settings.sleep_us_min};
  const auto high = std::max(low, std::uint64_t{settings.sleep_us_max});
  return static_cast<std::uint32_t>(std::clamp(waited_us / part_slept, low, high));
}

template <typename Scheduler = System>
class BasicWaiter {
public:
  explicit BasicWaiter(const Settings& settings, YieldHistory& history = thread_yield_history(),
                       Scheduler system = {})
      : settings_(settings), history_(history), system_(system) {}

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
      now_ns_ =
          yield_or_sleep(system_, history_, sleep_us_after(settings_, waited_us), settings_.long_yield_us);
    } else {
      system_.sleep_us(sleep_us_after(settings_, waited_us));
      now_ns_ = system_.now_ns();
    }
  }

  /// Something moved: the wait begins anew.
  void reset() { waiting_ = false; }

private:
  Settings settings_;
  YieldHistory& history_;
  Scheduler system_;
  bool waiting_ = false;
  std::uint64_t begin_ns_ = 0;
  std::uint64_t now_ns_ = 0;
};

using Waiter = BasicWaiter<>;

} // namespace thalweg::wait
