// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/schedule.hpp"

#include "base/assertion.hpp"

#include <map>

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
    for (const std::uint32_t predecessor : schedule.predecessors_of(schedule.steps[s])) {
      THALWEG_ASSERT(normal, predecessor < s);
      steps_[next[predecessor]++] = s;
    }
}

namespace {

/// What two sends must have in common.
std::vector<std::int64_t> content(const Schedule& schedule, const Step& step) {
  std::vector<std::int64_t> words;
  for (const BlockRange& range : schedule.source(step))
    words.insert(words.end(), {static_cast<std::int64_t>(range.buffer), range.first, range.run, range.count,
                               range.stride});
  words.push_back(-1);
  for (const std::uint32_t predecessor : schedule.predecessors_of(step))
    words.push_back(predecessor);
  return words;
}

} // namespace

std::vector<std::vector<std::uint32_t>> find_multicasts(const Schedule& schedule, std::size_t stage) {
  THALWEG_ASSERT(light, stage < schedule.stages.size());
  const auto is_payload = [](const Step& step) {
    return step.kind == StepKind::send && step.source.size > 0;
  };
  std::map<std::vector<std::int64_t>, std::vector<std::uint32_t>> sends;
  for (std::uint32_t s = schedule.stages[stage]; s < schedule.stage_end(stage); ++s)
    if (is_payload(schedule.steps[s]))
      sends[content(schedule, schedule.steps[s])].push_back(s);
  std::vector<std::vector<std::uint32_t>> multicasts;
  for (auto& [blocks, steps] : sends)
    if (steps.size() > 1)
      multicasts.push_back(std::move(steps));
  return multicasts;
}

Schedule in_a_row(const Schedule& call, std::int32_t times) {
  THALWEG_ASSERT(light, times >= 1);
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
