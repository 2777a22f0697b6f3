// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/multicasts.hpp"

#include <map>

namespace thalweg::schedule {

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

} // namespace thalweg::schedule
