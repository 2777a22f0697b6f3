// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/dot.hpp"

#include "schedule/matching.hpp"
#include "schedule/printer.hpp"

#include <fmt/format.h>

namespace thalweg::schedule {

namespace {

/// Arrows between a rank's steps: from named predecessors, and from the end of a stage to the begin of the
/// next.
void draw_order(const Schedule& schedule, std::string& text) {
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
    const std::uint32_t begin = schedule.stages[stage];
    if (begin > 0 && begin < schedule.steps.size())
      text +=
          fmt::format("  r{0}s{1} -> r{0}s{2} [style=bold, color=gray];\n", schedule.rank, begin - 1, begin);
    for (std::uint32_t s = begin; s < schedule.stage_end(stage); ++s)
      for (const std::uint32_t before : schedule.predecessors_of(schedule.steps[s]))
        text += fmt::format("  r{0}s{1} -> r{0}s{2} [style=dashed];\n", schedule.rank, before, s);
  }
}

} // namespace

std::string draw(std::span<const Schedule> schedules) {
  std::vector<std::string> faults;
  const Matching matching = match_messages(schedules, 1, faults);
  std::string text = "digraph schedule {\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n";
  for (const Schedule& schedule : schedules) {
    text += fmt::format("  subgraph cluster_{0} {{\n    label=\"rank {0}\";\n", schedule.rank);
    for (std::size_t s = 0; s < schedule.steps.size(); ++s)
      text += fmt::format("    r{}s{} [label=\"{}\"];\n", schedule.rank, s,
                          print_step(schedule, schedule.steps[s]));
    text += "  }\n";
  }
  for (const Schedule& schedule : schedules) {
    draw_order(schedule, text);
    for (std::size_t s = 0; s < schedule.steps.size(); ++s)
      if (const Step& step = schedule.steps[s]; step.kind == StepKind::send)
        text += fmt::format("  r{}s{} -> r{}s{} [color=blue, constraint=false];\n", schedule.rank, s,
                            step.peer, matching[static_cast<std::size_t>(schedule.rank)][s]);
  }
  return text + "}\n";
}

} // namespace thalweg::schedule
