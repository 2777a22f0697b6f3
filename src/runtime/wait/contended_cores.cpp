// SPDX-License-Identifier: BSD-3-Clause
#include "wait/contended_cores.hpp"

#include <algorithm>
#include <cmath>

namespace thalweg::wait {

double ContendedCores::Loss::at(std::uint64_t now_ns) const {
  constexpr double half_life_ns = 2e9;
  return ns * std::exp2(-static_cast<double>(static_cast<std::int64_t>(now_ns - at_ns)) / half_life_ns);
}

void ContendedCores::lost(int core, std::uint64_t now_ns, std::uint64_t taken_ns) {
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

} // namespace thalweg::wait
