// SPDX-License-Identifier: BSD-3-Clause
#include "wait/yield_history.hpp"

#include <algorithm>

namespace thalweg::wait {

namespace {

constinit thread_local YieldHistory history{};

} // namespace

// Once that somebody computes for long, trials cost one part in a hundred of the time, on each rank. One long
// yield among many short ones says nothing: some daemon ran, or another machine's guest.
void YieldHistory::yielded(std::uint64_t before_ns, std::uint64_t after_ns, std::uint32_t long_yield_us) {
  constexpr std::uint64_t few = 16;
  constexpr std::uint64_t max_sleep_per_yield = 100;
  const std::uint64_t taken_ns = after_ns - before_ns;
  if (taken_ns <= std::uint64_t{1000} * long_yield_us) {
    yielded_shortly();
    return;
  }
  long_in_row_ = short_yields_ < few ? long_in_row_ + 1 : 1;
  if (short_yields_ < few) {
    sleep_until_ns_ = after_ns + sleep_per_yield_ * taken_ns;
    sleep_per_yield_ = std::min(2 * sleep_per_yield_, max_sleep_per_yield);
  } else {
    sleep_per_yield_ = 1;
  }
  short_yields_ = 0;
}

// What was learned of the core before says nothing of this one.
void YieldHistory::arrived() {
  sleep_until_ns_ = 0;
  short_yields_ = UINT32_MAX;
  sleep_per_yield_ = 1;
}

YieldHistory& thread_yield_history() {
  return history;
}

} // namespace thalweg::wait
