// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/successors.hpp"

namespace thalweg::schedule {

Successors::Successors(const Schedule& schedule) : begins_(schedule.steps.size() + 1) {
  for (const Step& step : schedule.steps)
    for (const std::uint32_t predecessor : schedule.predecessors_of(step))
      ++begins_[predecessor + 1];
  for (std::size_t s = 0; s < schedule.steps.size(); ++s)
    begins_[s + 1] += begins_[s];
  steps_.resize(begins_.back());
  std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
  for (std::uint32_t s = 0; s < schedule.steps.size(); ++s)
    for (const std::uint32_t predecessor : schedule.predecessors_of(schedule.steps[s]))
      steps_[next[predecessor]++] = s;
}

} // namespace thalweg::schedule
