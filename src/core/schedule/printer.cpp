// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/printer.hpp"

#include "base/assertion.hpp"
#include "schedule/static_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace thalweg::schedule {

namespace {

std::string_view name(Buffer buffer) {
  switch (buffer) {
  case Buffer::input:
    return "input";
  case Buffer::output:
    return "output";
  case Buffer::scratch:
    return "scratch";
  }
  return "";
}

std::string print_range(const BlockRange& range) {
  std::string text = fmt::format("{}[{}", name(range.buffer), range.first);
  if (range.run != 1)
    text += fmt::format("..{}", range.first + range.run - 1);
  if (range.count != 1)
    text += fmt::format(" x{} by {}", range.count, range.stride);
  return text + "]";
}

/// "a (+) b" in the order in which the operands stand.
std::string combination(Side incoming, std::string_view in, std::string_view into) {
  return incoming == Side::left ? fmt::format("{} (+) {}", in, into) : fmt::format("{} (+) {}", into, in);
}

} // namespace

std::string print_blocks(std::span<const BlockRange> ranges) {
  std::vector<std::string> texts;
  for (const BlockRange& range : ranges)
    texts.push_back(print_range(range));
  return fmt::format("{}", fmt::join(texts, " "));
}

std::string print_step(const Schedule& schedule, const Step& step) {
  const std::string source = print_blocks(schedule.source(step));
  const std::string target = print_blocks(schedule.target(step));
  const std::string channel = step.channel == 0 ? "" : fmt::format(" on channel {}", step.channel);
  switch (step.kind) {
  case StepKind::send:
    return fmt::format("send {} to {}{}", source.empty() ? "token" : source, step.peer, channel);
  case StepKind::receive:
    return fmt::format("receive {} from {}{}", target.empty() ? "token" : target, step.peer, channel);
  case StepKind::receive_combine:
    return fmt::format("receive {} into {} from {}{}",
                       combination(step.side, "message", source.empty() ? target : source), target, step.peer,
                       channel);
  case StepKind::copy:
    return fmt::format("copy {} to {}", source, target);
  case StepKind::combine:
    return fmt::format("combine {} into {}", combination(step.side, source, target), target);
  }
  return "";
}

std::string print(const Schedule& schedule) {
  std::string text =
      fmt::format("{} of {} ranks, rank {}: {} stages, {} steps, {} scratch blocks, units in {} pieces\n",
                  name(schedule.operation), schedule.ranks, schedule.rank, schedule.stages.size(),
                  schedule.steps.size(), schedule.scratch_blocks, schedule.pieces);
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
    text += fmt::format("stage {}\n", stage);
    for (std::uint32_t s = schedule.stages[stage]; s < schedule.stage_end(stage); ++s) {
      const Step& step = schedule.steps[s];
      text += fmt::format("{:6}  {}", s, print_step(schedule, step));
      if (const auto before = schedule.predecessors_of(step); !before.empty())
        text += fmt::format(", after {}", fmt::join(before, ", "));
      text += "\n";
    }
  }
  return text;
}

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
  THALWEG_ASSERT(light, faults.empty());
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
