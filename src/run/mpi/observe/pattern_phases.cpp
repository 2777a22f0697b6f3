// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/pattern_phases.hpp"
#include "base/of_process.hpp"

#include <algorithm>

namespace thalweg::mpi::observe {

std::vector<PatternPhase>& all_pattern_phases() {
  struct Phases {
    std::vector<PatternPhase> all{1};
  };
  return of_process<Phases>().all;
}

void begin_pattern_phase(int level) {
  std::vector<PatternPhase>& phases = all_pattern_phases();
  const auto known = std::ranges::find(phases, level, &PatternPhase::level);
  pattern_phase = static_cast<std::uint32_t>(known - phases.begin());
  if (known == phases.end())
    phases.push_back({.level = level});
  else
    ++known->repeats;
}

} // namespace thalweg::mpi::observe
