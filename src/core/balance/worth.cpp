// SPDX-License-Identifier: BSD-3-Clause
#include "balance/worth.hpp"

#include "balance/chooser.hpp"

#include <algorithm>

namespace thalweg::balancing {

Verdict verdict_of(const Summary& all, const Terms& terms, const machine::LevelCosts& messages) {
  Verdict verdict;
  if (all.load <= 0 || all.speed <= 0)
    return verdict;
  const double even = all.load / all.speed; // seconds, in some unit
  const double excess = all.slowest.load - even * all.slowest.speed;
  const double lack = even * all.fastest.speed - all.fastest.load;
  verdict.imbalance = all.slowest.seconds() / even;
  const double bytes = std::max(excess, lack) * all.bytes / all.load;
  const Costs costs{.messages = messages,
                    .task_bytes = static_cast<std::int64_t>(std::clamp(bytes, 0.0, 1e18))};
  verdict.predicted_seconds = exchange_seconds(2, {{0, 1, 1}}, 0, costs);
  verdict.exchange_seconds = verdict.predicted_seconds * (all.cost_factor > 0 ? all.cost_factor : 1);
  const double mean_speed = all.speed / all.ranks;
  verdict.gain_seconds = (all.slowest.seconds() - even) * mean_speed * all.load_seconds * terms.steps;
  const bool pays =
      all.load_seconds <= 0 ||
      (verdict.gain_seconds > terms.min_gain_seconds &&
       evidence::pays({.before_seconds = verdict.gain_seconds, .cost_seconds = verdict.exchange_seconds},
                      terms.hysteresis));
  verdict.is_worth = pays && verdict.imbalance > 1 + terms.threshold;
  return verdict;
}

} // namespace thalweg::balancing
