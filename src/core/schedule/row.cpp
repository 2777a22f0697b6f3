// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/row.hpp"

namespace thalweg::schedule {

Schedule in_a_row(const Schedule& call, std::int32_t times) {
  Schedule row = call;
  const auto steps = static_cast<std::uint32_t>(call.steps.size());
  const auto named = static_cast<std::uint32_t>(call.predecessors.size());
  for (std::uint32_t time = 1; time < static_cast<std::uint32_t>(times); ++time) {
    for (const std::uint32_t stage : call.stages)
      row.stages.push_back(time * steps + stage);
    for (Step step : call.steps) { // all calls have the same blocks
      step.predecessors.begin += time * named;
      row.steps.push_back(step);
    }
    for (const std::uint32_t predecessor : call.predecessors)
      row.predecessors.push_back(time * steps + predecessor);
  }
  return row;
}

} // namespace thalweg::schedule
