#include "model/step_costs.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>

namespace thalweg::model {

namespace {

using schedule::BlockRange;
using schedule::Schedule;
using schedule::Step;
using schedule::StepKind;

struct Extent {
  std::int64_t bytes = 0;
  std::int64_t places = 0; // runs of memory
};

class Sizes {
public:
  Sizes(std::int32_t pieces, std::int64_t unit_bytes) : pieces_(pieces), unit_bytes_(unit_bytes) {}

  Extent of(std::span<const BlockRange> ranges) const {
    Extent extent;
    const BlockRange* last = nullptr;
    for (const BlockRange& range : ranges) {
      const bool in_a_row = range.count == 1 || range.stride == range.run;
      const bool continues = last != nullptr && last->buffer == range.buffer && last->count == 1 &&
                             last->first + last->run == range.first;
      extent.places += in_a_row ? (continues ? 0 : 1) : range.count;
      for (std::int32_t i = 0; i < range.count; ++i)
        extent.bytes += run_bytes(range.first + i * range.stride, range.run);
      last = &range;
    }
    return extent;
  }

private:
  std::int64_t run_bytes(std::int64_t first, std::int64_t run) const {
    if (pieces_ == 1)
      return run * unit_bytes_;
    return begin_of(first + run) - begin_of(first);
  }
  // Bytes of the blocks below this one, as if all units lay in a row.
  std::int64_t begin_of(std::int64_t block) const {
    return block / pieces_ * unit_bytes_ + part_begin(unit_bytes_, pieces_, block % pieces_);
  }

  std::int32_t pieces_;
  std::int64_t unit_bytes_;
};

double packing(const machine::Machine& machine, const Extent& extent) {
  return extent.places > 1 ? machine.copy_seconds(extent.bytes) : 0;
}

StepCost message_cost(const Schedule& schedule, const Step& step, const Sizes& sizes,
                      const Setting& setting) {
  const machine::Machine& machine = setting.machine;
  const bool is_send = step.kind == StepKind::send;
  const Extent extent = sizes.of(is_send ? schedule.source(step) : schedule.target(step));
  const machine::Level level = level_between(setting, schedule.rank, step.peer);
  const machine::MessageCost& cost = machine.at(level).at(extent.bytes);
  const auto bytes = static_cast<double>(extent.bytes);
  StepCost result;
  result.bytes = extent.bytes;
  result.is_remote = level == machine::Level::network;
  result.is_send = is_send;
  result.latency = cost.latency.value;
  result.transfer = cost.gap.value + cost.gap_per_byte.value * bytes;
  result.begin = machine.step.value;
  if (is_send) {
    result.begin += cost.send.value + cost.send_per_byte.value * bytes + packing(machine, extent);
  } else {
    result.finish = cost.receive.value + cost.receive_per_byte.value * bytes;
    result.finish += step.kind == StepKind::receive_combine ? machine.combine_seconds(extent.bytes)
                                                            : packing(machine, extent);
  }
  return result;
}

} // namespace

machine::Level level_between(const Setting& setting, Rank a, Rank b) {
  const auto node = [&](Rank rank) {
    return setting.nodes.empty() ? 0 : setting.nodes[static_cast<std::size_t>(rank)];
  };
  return node(a) == node(b) ? machine::Level::node : machine::Level::network;
}

StepCosts::StepCosts(const Schedule& schedule, std::int64_t unit_bytes, const Setting& setting) {
  const Sizes sizes(schedule.pieces, unit_bytes);
  costs_.reserve(schedule.steps.size());
  for (const Step& step : schedule.steps) {
    if (schedule::is_message(step)) {
      costs_.push_back(message_cost(schedule, step, sizes, setting));
      continue;
    }
    const std::int64_t bytes = sizes.of(schedule.target(step)).bytes;
    StepCost local;
    local.bytes = bytes;
    local.begin =
        setting.machine.step.value + (step.kind == StepKind::copy ? setting.machine.copy_seconds(bytes)
                                                                  : setting.machine.combine_seconds(bytes));
    costs_.push_back(local);
  }
}

double StepCosts::processor_seconds() const {
  double total = 0;
  for (const StepCost& cost : costs_)
    total += cost.begin + cost.finish;
  return total;
}

double StepCosts::link_seconds() const {
  double leaving = 0;
  double coming = 0;
  for (const StepCost& cost : costs_)
    if (cost.is_remote)
      (cost.is_send ? leaving : coming) += cost.transfer;
  return std::max(leaving, coming);
}

} // namespace thalweg::model
