// SPDX-License-Identifier: BSD-3-Clause
#include "wait/yield_history.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <cmath>

namespace thalweg::wait {

double ContendedCores::Loss::at(std::uint64_t now_ns) const {
  constexpr double half_life_ns = 2e9;
  return ns * std::exp2(-static_cast<double>(static_cast<std::int64_t>(now_ns - at_ns)) / half_life_ns);
}

void ContendedCores::lost(int core, std::uint64_t now_ns, std::uint64_t taken_ns) {
  THALWEG_ASSERT(normal, core >= 0); // others are free places
  const double before_ns = loss(core, now_ns);
  auto place = std::ranges::find(losses_, core, &Loss::core);
  if (place == losses_.end())
    place = std::ranges::min_element(losses_, {}, [&](const Loss& loss) { return loss.at(now_ns); });
  *place = {before_ns + static_cast<double>(taken_ns), now_ns, core};
}

double ContendedCores::loss(int core, std::uint64_t now_ns) const {
  const auto place = std::ranges::find(losses_, core, &Loss::core);
  return place == losses_.end() ? 0 : place->at(now_ns);
}

std::optional<int> ContendedCores::better_than(int core, std::uint64_t now_ns,
                                               const cpu_set_t& allowed) const {
  // The next ones first: they are near, and ranks from several contended cores come to different ones.
  std::optional<int> best;
  double min_ns = loss(core, now_ns) / better_by;
  for (int step = 1; step < CPU_SETSIZE && min_ns > 0; ++step) {
    const int candidate = (core + step) % CPU_SETSIZE;
    if (!CPU_ISSET(candidate, &allowed))
      continue;
    const double lost_ns = loss(candidate, now_ns);
    if (lost_ns < min_ns) {
      best = candidate;
      min_ns = lost_ns;
    }
  }
  return best;
}

namespace {

constinit thread_local YieldHistory history{};

} // namespace

// Once that somebody computes for long, trials cost one part in a hundred of the time, on each rank. One long
// yield among many short ones says nothing: some daemon ran, or another machine's guest.
void YieldHistory::yielded(std::uint64_t before_ns, std::uint64_t after_ns, std::uint32_t long_yield_us) {
  THALWEG_ASSERT(normal, before_ns <= after_ns);
  constexpr std::uint64_t max_sleep_per_yield = 100;
  const std::uint64_t taken_ns = after_ns - before_ns;
  if (taken_ns <= std::uint64_t{1000} * long_yield_us) {
    yielded_shortly();
    return;
  }
  long_in_row_ = short_yields_ < few_short_yields ? long_in_row_ + 1 : 1;
  if (short_yields_ < few_short_yields) {
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
