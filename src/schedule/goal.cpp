#include "schedule/goal.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace thalweg::schedule {

namespace {

/// Writes one rank's part.
class RankWriter {
public:
  RankWriter(const Schedule& schedule, const GoalSizes& sizes) : schedule_(schedule), sizes_(sizes) {}

  std::string write() {
    text_ = fmt::format("rank {} {{\n", schedule_.rank);
    for (std::size_t stage = 0; stage < schedule_.stages.size(); ++stage)
      write_stage(stage);
    return text_ + "}\n";
  }

private:
  void write_stage(std::size_t stage) {
    const std::uint32_t begin = schedule_.stages[stage];
    const std::uint32_t end = schedule_.stage_end(stage);
    for (std::uint32_t s = begin; s < end; ++s) {
      const Step& step = schedule_.steps[s];
      write_step(s, step);
      if (stage > 0)
        text_ += fmt::format("  s{} requires e{}\n", s, stage - 1);
      for (const std::uint32_t before : schedule_.predecessors_of(step))
        text_ += fmt::format("  s{} requires {}{}\n", s, finisher(before), before);
    }
    text_ += fmt::format("  e{}: calc 0\n", stage);
    for (std::uint32_t s = begin; s < end; ++s)
      text_ += fmt::format("  e{} requires {}{}\n", stage, finisher(s), s);
    if (begin == end && stage > 0)
      text_ += fmt::format("  e{} requires e{}\n", stage, stage - 1);
  }

  void write_step(std::uint32_t s, const Step& step) {
    const std::int64_t bytes = block_bytes(
        is_receive(step) || step.kind == StepKind::combine ? schedule_.target(step) : schedule_.source(step));
    const std::int64_t message = std::max<std::int64_t>(bytes, 1);
    switch (step.kind) {
    case StepKind::send:
      text_ += fmt::format("  s{}: send {}b to {} tag {}\n", s, message, step.peer, next_tag(sent_, step));
      break;
    case StepKind::receive:
      text_ +=
          fmt::format("  s{}: recv {}b from {} tag {}\n", s, message, step.peer, next_tag(received_, step));
      break;
    case StepKind::receive_combine:
      text_ +=
          fmt::format("  s{0}: recv {1}b from {2} tag {3}\n  c{0}: calc {4}\n  c{0} requires s{0}\n", s,
                      message, step.peer, next_tag(received_, step), time(bytes, sizes_.combine_ns_per_byte));
      break;
    case StepKind::copy:
      text_ += fmt::format("  s{}: calc {}\n", s, time(bytes, sizes_.copy_ns_per_byte));
      break;
    case StepKind::combine:
      text_ += fmt::format("  s{}: calc {}\n", s, time(bytes, sizes_.combine_ns_per_byte));
      break;
    }
  }

  using Counts = std::map<std::pair<Rank, std::uint16_t>, std::uint32_t>;

  /// Numbers the messages of a peer and channel in program order, in which they meet; channels in the upper
  /// bits.
  static std::uint32_t next_tag(Counts& counts, const Step& step) {
    return std::uint32_t{step.channel} << 20 | counts[{step.peer, step.channel}]++;
  }

  /// The letter of the line at whose end the step is over: a combining receive is over after its calculation.
  char finisher(std::uint32_t s) const {
    return schedule_.steps[s].kind == StepKind::receive_combine ? 'c' : 's';
  }

  std::int64_t block_bytes(std::span<const BlockRange> ranges) const {
    std::int64_t bytes = 0;
    for_each_block(ranges, [&](Buffer, std::int32_t block) {
      const std::int64_t piece = block % schedule_.pieces;
      bytes +=
          sizes_.unit_bytes * (piece + 1) / schedule_.pieces - sizes_.unit_bytes * piece / schedule_.pieces;
    });
    return bytes;
  }

  static std::int64_t time(std::int64_t bytes, double ns_per_byte) {
    return std::llround(static_cast<double>(bytes) * ns_per_byte);
  }

  const Schedule& schedule_;
  const GoalSizes& sizes_;
  std::string text_;
  Counts sent_;
  Counts received_;
};

} // namespace

std::string export_goal(std::span<const Schedule> schedules, const GoalSizes& sizes) {
  std::string text = fmt::format("num_ranks {}\n", schedules.size());
  for (const Schedule& schedule : schedules)
    text += RankWriter(schedule, sizes).write();
  return text;
}

} // namespace thalweg::schedule
