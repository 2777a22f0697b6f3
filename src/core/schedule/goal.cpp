// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/goal.hpp"

#include "base/assertion.hpp"
#include "schedule/buffers.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <unordered_map>
#include <vector>

namespace thalweg::schedule {

namespace {

using Part = GoalNode::Part;

/// Numbers the messages of each peer and channel in program order, in which they meet; channels in the upper
/// bits.
class Tags {
public:
  std::uint32_t next(const Step& step) {
    const auto key = static_cast<std::uint64_t>(step.peer) << 17 | std::uint64_t{step.channel} << 1 |
                     (is_receive(step) ? 1 : 0);
    std::uint32_t& count = count_of(key);
    THALWEG_ASSERT(normal, count < 1U << channel_shift && step.channel < 1U << (32 - channel_shift));
    return std::uint32_t{step.channel} << channel_shift | count++;
  }

private:
  // Most ranks have few peers, for which a table by hash would be dear.
  std::uint32_t& count_of(std::uint64_t key) {
    for (auto& [known, count] : first_)
      if (known == key)
        return count;
    if (first_.size() < few)
      return first_.emplace_back(key, 0).second;
    return counts_[key];
  }

  static constexpr std::size_t few = 24;
  static constexpr int channel_shift = 20;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> first_;
  std::unordered_map<std::uint64_t, std::uint32_t> counts_;
};

class GoalOperations {
public:
  GoalOperations(const Schedule& schedule, GoalSink& sink) : schedule_(schedule), sink_(sink) {}

  void run() {
    for (std::size_t stage = 0; stage < schedule_.stages.size(); ++stage)
      if (schedule_.stages[stage] < schedule_.stage_end(stage))
        write_stage(stage);
  }

private:
  void write_stage(std::size_t stage) {
    const std::uint32_t begin = schedule_.stages[stage];
    const std::uint32_t end = schedule_.stage_end(stage);
    end_stages_before(stage, end - begin);
    for (std::uint32_t s = begin; s < end; ++s)
      write_step(s);
    required_.clear();
    for (std::uint32_t s = begin; s < end; ++s)
      required_.push_back(finisher(s));
  }

  // One operation between n steps and the m that follow has n + m requirements instead of n m.
  void end_stages_before(std::size_t stage, std::size_t steps) {
    if (required_.size() * steps <= required_.size() + steps)
      return;
    const GoalNode node{Part::end, static_cast<std::uint32_t>(stage - 1)};
    sink_.add_end(node);
    for (const GoalNode earlier : required_)
      sink_.require(node, earlier);
    required_ = {node};
  }

  void write_step(std::uint32_t s) {
    const Step& step = schedule_.steps[s];
    const GoalNode node{Part::step, s};
    sink_.add(node, step, is_message(step) ? tags_.next(step) : 0);
    for (const GoalNode earlier : required_)
      sink_.require(node, earlier);
    for (const std::uint32_t before : schedule_.predecessors_of(step))
      sink_.require(node, finisher(before));
    if (const GoalNode after = finisher(s); after.part == Part::after) {
      sink_.add(after, step, 0);
      sink_.require(after, node);
    }
  }

  /// The operation at whose end the step is over.
  GoalNode finisher(std::uint32_t s) const {
    const Step& step = schedule_.steps[s];
    return {is_receive(step) && sink_.has_after(s, step) ? Part::after : Part::step, s};
  }

  const Schedule& schedule_;
  GoalSink& sink_;
  std::vector<GoalNode> required_; // by the stage at hand
  Tags tags_;
};

} // namespace

void write_goal_operations(const Schedule& schedule, GoalSink& sink) {
  GoalOperations(schedule, sink).run();
}

namespace {

/// Writes one rank's part.
class RankWriter final : public GoalSink {
public:
  RankWriter(const Schedule& schedule, const GoalSizes& sizes, std::span<const std::int64_t> bytes)
      : schedule_(schedule), sizes_(sizes), bytes_(bytes) {}

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
             bytes_.empty() ? message_bytes(schedule_, step, sizes_) : bytes_[node.number],
             is_receive(step) ? "from" : "to", step.peer, tag);
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
  std::span<const std::int64_t> bytes_;
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
  THALWEG_ASSERT(normal, is_message(step));
  return std::max<std::int64_t>(step_bytes(schedule, step, sizes), 1);
}

std::int64_t local_ticks(const Schedule& schedule, const Step& step, const GoalSizes& sizes) {
  const double per_byte = step.kind == StepKind::copy ? sizes.copy_ns_per_byte : sizes.combine_ns_per_byte;
  return std::llround(static_cast<double>(step_bytes(schedule, step, sizes)) * per_byte);
}

std::string export_goal(std::span<const Schedule> schedules, const GoalSizes& sizes,
                        std::span<const std::vector<std::int64_t>> bytes) {
  THALWEG_ASSERT(light, bytes.empty() || bytes.size() == schedules.size());
  std::string text = fmt::format("num_ranks {}\n", schedules.size());
  for (std::size_t rank = 0; rank < schedules.size(); ++rank)
    text += RankWriter(schedules[rank], sizes,
                       bytes.empty() ? std::span<const std::int64_t>{} : std::span(bytes[rank]))
                .write();
  return text;
}

} // namespace thalweg::schedule
