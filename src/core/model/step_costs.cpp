// SPDX-License-Identifier: BSD-3-Clause
#include "model/step_costs.hpp"

#include "base/assertion.hpp"
#include "schedule/buffers.hpp"
#include "schedule/schedule.hpp"

#include <algorithm>

namespace thalweg::model {

namespace {

using schedule::Extent;
using schedule::Schedule;
using schedule::Sizes;
using schedule::Step;
using schedule::StepKind;

double packing(const machine::Machine& machine, const Extent& extent) {
  return extent.places > 1 ? machine.copy_seconds(extent.bytes) : 0;
}

// Times as long as alone that pairs of ranks take at once, less what their sharing of cores explains.
double contention_factor(const machine::Machine& machine, const machine::LevelCosts& level,
                         const machine::MessageCost& cost) {
  const double ranks_a_core = 2.0 * level.pairs / machine.cores;
  return std::max(1.0, cost.shared.value / std::max(1.0, ranks_a_core));
}

void set_contention(StepCost& result, const machine::Machine& machine, const machine::LevelCosts& level,
                    const machine::MessageCost& cost, double copying) {
  const bool is_measured = result.is_remote == (level.level == machine::Level::network);
  if (!is_measured || (level.pairs < 2 && !result.is_remote))
    return;
  if (!result.is_remote) {
    result.contention = copying * (contention_factor(machine, level, cost) - 1) / (level.pairs - 1);
    return;
  }
  // What measurements scatter around 1 says nothing.
  result.two_way = cost.two_way.low > 1 ? std::min(cost.two_way.value, 2.0) : 1;
  result.share = std::clamp(cost.shared.value / level.pairs, 1.0 / level.pairs, 1.0);
}

// Times as long as alone, less what the sharing of cores explains; what scatters around 1 says nothing.
double surely_slower(const machine::Figure& factor) {
  return factor.low > 1 ? factor.value : 1;
}

// What all pairs at once cost the processor, and the latency on top of that and of what links and memory
// explain. Where pairs outnumber the cores it was their turns that were measured, which the model plays.
void set_load(StepCost& result, const machine::Machine& machine, const machine::LevelCosts& level,
              const machine::MessageCost& cost, double overhead) {
  result.ranks_a_pair = result.is_remote && machine.nodes_per_machine == 1 ? 1 : 2;
  if (level.pairs < 2 || result.ranks_a_pair * level.pairs > machine.cores ||
      result.is_remote != (level.level == machine::Level::network))
    return;
  const auto bytes = static_cast<double>(result.bytes);
  const double lost = cost.overlapped.value + cost.overlapped_per_byte.value * bytes;
  const double all_lose = cost.overlapped_shared.value + cost.overlapped_shared_per_byte.value * bytes;
  const double busier = lost > 0 ? std::max(1.0, all_lose / lost) : 1;
  result.others = level.pairs - 1;
  result.contention += overhead * (busier - 1) / result.others;
  const double ends = cost.send.value + cost.receive.value;
  const double copying = (cost.send_per_byte.value + cost.receive_per_byte.value) * bytes;
  const double trip = ends + copying + result.transfer + result.latency;
  const double slower = std::max(1.0, cost.shared.value) - 1;
  const double explained = ends * (busier - 1) + (result.is_remote ? result.transfer : copying) * slower;
  result.loaded = std::max(0.0, trip * (surely_slower(cost.trip_shared) - 1) - explained);
}

Extent message_extent(const Schedule& schedule, const Step& step, const Sizes& sizes) {
  return sizes.of(step.kind == StepKind::send ? schedule.source(step) : schedule.target(step));
}

// What a message costs: as its level says, or as the distance of the two cores does, where that is known.
class PairCost {
public:
  PairCost(const Scenario& scenario, const machine::LevelCosts& level, std::int64_t bytes, Rank a, Rank b)
      : cost_(&level.at(bytes)) {
    if (scenario.cores.empty() || level.level == machine::Level::network)
      return;
    const auto core = [&](Rank rank) { return scenario.cores[static_cast<std::size_t>(rank)]; };
    adjusted_ = scenario.machine.between(level, *cost_, core(a), core(b));
    cost_ = &adjusted_;
  }
  PairCost(const PairCost&) = delete;
  PairCost& operator=(const PairCost&) = delete;

  const machine::MessageCost& operator*() const { return *cost_; }

private:
  const machine::MessageCost* cost_;
  machine::MessageCost adjusted_;
};

StepCost message_cost(const Schedule& schedule, const Step& step, const Extent& extent,
                      const Scenario& scenario) {
  const machine::Machine& machine = scenario.machine;
  const bool is_send = step.kind == StepKind::send;
  const machine::Level apart = level_between(scenario, schedule.rank, step.peer);
  const machine::LevelCosts& level = machine.at(apart);
  const PairCost of_pair(scenario, level, extent.bytes, schedule.rank, step.peer);
  const machine::MessageCost& cost = *of_pair;
  const auto bytes = static_cast<double>(extent.bytes);
  StepCost result;
  result.bytes = extent.bytes;
  result.is_remote = apart == machine::Level::network;
  result.is_send = is_send;
  result.latency = cost.latency.value;
  result.gap = cost.gap.value;
  result.transfer = cost.gap_per_byte.value * bytes;
  const double copying = (is_send ? cost.send_per_byte : cost.receive_per_byte).value * bytes;
  result.copying = copying;
  result.begin = machine.step.value;
  result.posted = is_send ? 0 : level.per_posted.value;
  if (is_send) {
    result.begin += cost.send.value + copying + packing(machine, extent);
  } else {
    result.unexpected = cost.unexpected.value + cost.unexpected_per_byte.value * bytes;
    result.finish = cost.receive.value + copying;
    result.finish += step.kind == StepKind::receive_combine ? machine.combine_seconds(extent.bytes)
                                                            : packing(machine, extent);
  }
  set_contention(result, machine, level, cost, copying);
  set_load(result, machine, level, cost, (is_send ? cost.send : cost.receive).value);
  return result;
}

} // namespace

machine::Level level_between(const Scenario& scenario, Rank a, Rank b) {
  const auto are_together = [&](std::span<const std::int32_t> places, std::int32_t unknown) {
    const auto place = [&](Rank rank) {
      return places.empty() ? unknown : places[static_cast<std::size_t>(rank)];
    };
    return place(a) == place(b) && place(a) >= 0;
  };
  if (!are_together(scenario.nodes, 0))
    return machine::Level::network;
  if (are_together(scenario.complexes, -1))
    return machine::Level::core_complex;
  return are_together(scenario.sockets, -1) ? machine::Level::socket : machine::Level::node;
}

StepCosts::StepCosts(const Schedule& schedule, std::int64_t unit_bytes, const Scenario& scenario) {
  const std::span<const std::int64_t> message_bytes = scenario.message_bytes_of(schedule.rank);
  THALWEG_ASSERT(light, message_bytes.empty() || message_bytes.size() == schedule.steps.size());
  const Sizes sizes(schedule.pieces, unit_bytes);
  costs_.reserve(schedule.steps.size());
  for (const Step& step : schedule.steps) {
    if (schedule::is_message(step)) {
      Extent extent = message_extent(schedule, step, sizes);
      if (!message_bytes.empty())
        extent.bytes = message_bytes[costs_.size()];
      costs_.push_back(message_cost(schedule, step, extent, scenario));
      continue;
    }
    const std::int64_t bytes = sizes.of(schedule.target(step)).bytes;
    StepCost local;
    local.bytes = bytes;
    local.begin =
        scenario.machine.step.value + (step.kind == StepKind::copy ? scenario.machine.copy_seconds(bytes)
                                                                   : scenario.machine.combine_seconds(bytes));
    costs_.push_back(local);
  }
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage)
    for (const auto& sends : schedule::find_multicasts(schedule, stage))
      copy_once(sends);
}

/// Ranks of a node read what goes to several of them from where it was copied to once
/// (transport/shm/broadcast_buffer.hpp).
void StepCosts::copy_once(std::span<const std::uint32_t> sends) {
  bool is_copied = false;
  for (const std::uint32_t send : sends) {
    StepCost& cost = costs_[send];
    if (cost.is_remote || cost.bytes < min_copied_once)
      continue;
    if (is_copied)
      cost.begin -= cost.copying;
    THALWEG_ASSERT(normal, cost.begin >= 0);
    is_copied = true;
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
      (cost.is_send ? leaving : coming) += cost.transfer * (cost.is_send ? 1 : cost.share);
  return std::max(leaving, coming);
}

} // namespace thalweg::model
