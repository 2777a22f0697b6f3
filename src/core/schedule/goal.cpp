// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/goal.hpp"

#include "schedule/extent.hpp"
#include "schedule/goal_operations.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace thalweg::schedule {

namespace {

/// Writes one rank's part.
class RankWriter final : public GoalSink {
public:
  RankWriter(const Schedule& schedule, const GoalSizes& sizes) : schedule_(schedule), sizes_(sizes) {}

  std::string write() {
    text_ = fmt::format("rank {} {{\n", schedule_.rank);
    write_goal_operations(schedule_, *this);
    return text_ + "}\n";
  }

  bool has_after(std::uint32_t, const Step& step) const override {
    return step.kind == StepKind::receive_combine;
  }

  void add(GoalNode node, const Step& step, std::uint32_t tag) override {
    if (node.part == GoalNode::Part::after || !is_message(step))
      append("{}: calc {}\n", label(node), local_ticks(schedule_, step, sizes_));
    else
      append("{}: {} {}b {} {} tag {}\n", label(node), is_receive(step) ? "recv" : "send",
             message_bytes(schedule_, step, sizes_), is_receive(step) ? "from" : "to", step.peer, tag);
  }

  void add_end(GoalNode node) override { append("{}: calc 0\n", label(node)); }

  void require(GoalNode later, GoalNode earlier) override {
    append("{} requires {}\n", label(later), label(earlier));
  }

private:
  template <typename... Parts>
  void append(fmt::format_string<Parts...> format, Parts&&... parts) {
    text_ += "  ";
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
  }

  static std::string label(GoalNode node) {
    return fmt::format("{}{}", static_cast<char>(node.part), node.number);
  }

  const Schedule& schedule_;
  const GoalSizes& sizes_;
  std::string text_;
};

std::int64_t step_bytes(const Schedule& schedule, const Step& step, const GoalSizes& sizes) {
  const bool is_target = is_receive(step) || step.kind == StepKind::combine;
  return Sizes(schedule.pieces, sizes.unit_bytes)
      .of(is_target ? schedule.target(step) : schedule.source(step))
      .bytes;
}

} // namespace

std::int64_t message_bytes(const Schedule& schedule, const Step& step, const GoalSizes& sizes) {
  return std::max<std::int64_t>(step_bytes(schedule, step, sizes), 1);
}

std::int64_t local_ticks(const Schedule& schedule, const Step& step, const GoalSizes& sizes) {
  const double per_byte = step.kind == StepKind::copy ? sizes.copy_ns_per_byte : sizes.combine_ns_per_byte;
  return std::llround(static_cast<double>(step_bytes(schedule, step, sizes)) * per_byte);
}

std::string export_goal(std::span<const Schedule> schedules, const GoalSizes& sizes) {
  std::string text = fmt::format("num_ranks {}\n", schedules.size());
  for (const Schedule& schedule : schedules)
    text += RankWriter(schedule, sizes).write();
  return text;
}

} // namespace thalweg::schedule
