// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a thread's yields have taken so far, on which cores, and what it does about it: sleep instead, or move
// to another core.

#include "wait/system.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <sched.h>

namespace thalweg::wait {

/// Which cores somebody else computes on, as a thread learns from its own waits.
///
/// A thread that yields on such a core gets it back some milliseconds later. The kernel balances load, not
/// waits: it keeps ranks that wait for one another on a core that somebody computes on although they would
/// share another one at a few microseconds a turn. So a thread that has lost time to yields on its core goes
/// to the one where it has lost the least, if that is an eighth at most. What was lost is forgotten, half of
/// it in two seconds, so that cores are tried again. Where ranks alone compute, all cores are contended
/// alike, and threads stay: when they moved, once in some seconds, 8 ranks of LAMMPS on 2 cores took 1.17
/// times as long, as the kernel needs long to spread them again.
class ContendedCores {
public:
  /// A yield on `core` that ended now took so long.
  void lost(int core, std::uint64_t now_ns, std::uint64_t taken_ns);

  /// The core among `allowed` to go to from `core`, if one is worth it.
  std::optional<int> better_than(int core, std::uint64_t now_ns, const cpu_set_t& allowed) const;

private:
  struct Loss {
    double ns = 0; ///< at `at_ns`
    std::uint64_t at_ns = 0;
    int core = -1; ///< none yet
    double at(std::uint64_t now_ns) const;
  };

  double loss(int core, std::uint64_t now_ns) const;

  static constexpr double better_by = 8;

  /// Of more contended cores the one with the least loss is forgotten, and would be found again.
  static constexpr std::size_t max_cores = 8;
  std::array<Loss, max_cores> losses_{};
};

/// How long a wait polls, yields and sleeps (wait/waiter.hpp).
struct Settings {
  std::uint32_t poll_us = 0;
  std::uint32_t yield_us = 5000;
  std::uint32_t sleep_us_min = 20;
  std::uint32_t sleep_us_max = 1000;
  std::uint32_t long_yield_us = 200; ///< yields that take longer than this have met somebody who computes
};

class YieldHistory {
public:
  bool prefers_sleep(std::uint64_t now_ns) const { return now_ns < sleep_until_ns_; }

  void yielded(std::uint64_t before_ns, std::uint64_t after_ns, std::uint32_t long_yield_us);
  void yielded_shortly() { short_yields_ += short_yields_ < UINT32_MAX ? 1 : 0; }

  /// Among yields of which one in `per_timed` is timed: how many that follow need no timing. None while some
  /// were long lately, for it matters how many are short in between.
  std::uint32_t yielded_shortly(std::uint32_t per_timed) {
    if (short_yields_ < few_short_yields) {
      yielded_shortly();
      return 0;
    }
    short_yields_ = UINT32_MAX;
    return per_timed - 1;
  }

  /// What yields take among ranks, which combine long vectors in between, is less; time slices are more.
  static constexpr std::uint64_t worth_leaving_ns = 1'000'000;

  /// Some daemon takes a few milliseconds once; somebody who computes takes them at each yield. A rank that
  /// goes away for a daemon leaves more ranks on the other core than on this one, for tenths of seconds.
  static constexpr std::uint32_t long_yields_worth_leaving = 2;

  /// After a yield that took so long: goes to a better core, if there is one.
  template <typename Scheduler>
  void leave(Scheduler& system, int core, std::uint64_t before_ns, std::uint64_t after_ns) {
    contended_cores_.lost(core, after_ns, after_ns - before_ns);
    if (stays_ || system.core() != core)
      return; // or the kernel has moved it
    const std::optional<cpu_set_t> allowed = system.allowed_cores();
    const std::optional<int> better =
        allowed ? contended_cores_.better_than(core, after_ns, *allowed) : std::optional<int>();
    if (!better)
      return;
    may_gain_in_row_ = system.may_another_core_be_better() ? may_gain_in_row_ + 1 : 0;
    if (std::min(may_gain_in_row_, long_in_row_) >= long_yields_worth_leaving)
      go(system, *better, *allowed);
  }

private:
  /// Between long ones that are taken for one another's.
  static constexpr std::uint32_t few_short_yields = 16;

  template <typename Scheduler>
  void go(Scheduler& system, int core, const cpu_set_t& allowed) {
    may_gain_in_row_ = 0;
    stays_ = !system.move_to(core, allowed);
    if (!stays_)
      arrived();
  }
  void arrived();

  ContendedCores contended_cores_;
  bool stays_ = false; ///< it may not move
  std::uint64_t sleep_until_ns_ = 0;
  std::uint64_t short_yields_ = UINT32_MAX; ///< since the last long one; no long one was met yet
  std::uint32_t long_in_row_ = 0;           ///< with few short ones in between
  std::uint32_t may_gain_in_row_ = 0;       ///< looks after long ones that another core may be better
  std::uint64_t sleep_per_yield_ = 1;
};

YieldHistory& thread_yield_history();

/// After a yield on `core`: leaves it for a better one if that took long.
template <typename Scheduler>
void yielded(Scheduler& system, YieldHistory& history, int core, std::uint64_t before_ns,
             std::uint64_t after_ns, std::uint32_t long_yield_us = Settings{}.long_yield_us) {
  history.yielded(before_ns, after_ns, long_yield_us);
  if (after_ns - before_ns > YieldHistory::worth_leaving_ns) [[unlikely]]
    history.leave(system, core, before_ns, after_ns);
}

/// Yields, and leaves the core for a better one if that took long; gives the time after it.
template <typename Scheduler>
std::uint64_t yield_or_move(Scheduler& system, YieldHistory& history, std::uint64_t before_ns,
                            std::uint32_t long_yield_us = Settings{}.long_yield_us) {
  const int core = system.core();
  system.yield();
  const std::uint64_t after_ns = system.now_ns();
  yielded(system, history, core, before_ns, after_ns, long_yield_us);
  return after_ns;
}

/// One pause that gives the core away; gives the time after it.
template <typename Scheduler>
std::uint64_t yield_or_sleep(Scheduler& system, YieldHistory& history, std::uint32_t sleep_us,
                             std::uint32_t long_yield_us = Settings{}.long_yield_us) {
  const std::uint64_t before_ns = system.now_ns();
  if (history.prefers_sleep(before_ns)) {
    system.sleep_us(sleep_us);
    return system.now_ns();
  }
  return yield_or_move(system, history, before_ns, long_yield_us);
}

} // namespace thalweg::wait
