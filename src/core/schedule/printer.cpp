// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/printer.hpp"

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

} // namespace thalweg::schedule
