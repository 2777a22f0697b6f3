// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict.hpp"

#include "base/assertion.hpp"
#include "model/event_simulation.hpp"

#include <algorithm>
#include <limits>

namespace thalweg::model {

using schedule::Schedule;
using schedule::Step;
using schedule::StepKind;

namespace {

// From whom a stage receives, in order.
std::vector<Rank> senders(const Schedule& schedule, std::size_t stage) {
  std::vector<Rank> found;
  for (std::uint32_t s = schedule.stages[stage]; s < schedule.stage_end(stage); ++s)
    if (schedule::is_receive(schedule.steps[s]))
      found.push_back(schedule.steps[s].peer);
  std::ranges::sort(found);
  return found;
}

// Receives of a stage that are posted as it begins; where there are more, each that ends lets another one be
// posted.
std::int64_t posted_at_once(const Schedule& schedule, std::size_t stage) {
  std::int64_t count = 0;
  for (std::uint32_t s = schedule.stages[stage]; s < schedule.stage_end(stage); ++s)
    count += schedule::is_receive(schedule.steps[s]) && schedule.steps[s].predecessors.size == 0 ? 1 : 0;
  return count;
}

// How long a message holds its link, where all ranks of the node send alike.
double service_of(const StepCost& cost, bool meets, double ranks_a_node) {
  if (!cost.is_remote)
    return cost.transfer;
  return cost.transfer * std::max(meets ? cost.two_way : 1, cost.share * ranks_a_node);
}

} // namespace

Prediction predict(std::span<const Schedule> schedules, std::int64_t unit_bytes, const Scenario& scenario,
                   double enough_seconds) {
  THALWEG_ASSERT(light, !schedules.empty() && unit_bytes >= 0);
  THALWEG_ASSERT(heavy, std::ranges::is_sorted(schedules, {}, &Schedule::rank));
  return EventSimulation(schedules, unit_bytes, scenario).run(enough_seconds);
}

Prediction predict_lower_bound(std::span<const Schedule> some, std::int64_t unit_bytes,
                               const Scenario& scenario) {
  Prediction prediction{.is_bound = true};
  for (const Schedule& schedule : some) {
    const StepCosts costs(schedule, unit_bytes, scenario);
    const double cpu = costs.processor_seconds();
    prediction.seconds = std::max({prediction.seconds, cpu, costs.link_seconds()});
    prediction.cpu_max = std::max(prediction.cpu_max, cpu);
    prediction.cpu_seconds += cpu / static_cast<double>(some.size());
  }
  return prediction;
}

Prediction predict_symmetric(const Schedule& schedule, std::int64_t unit_bytes, const Scenario& scenario) {
  const StepCosts costs(schedule, unit_bytes, scenario);
  const machine::Machine& machine = scenario.machine;
  const machine::LevelCosts& network = machine.at(machine::Level::network);
  const double burst = network.burst_bytes * network.ranges.back().gap_per_byte.value;
  const auto nodes = scenario.nodes.empty() ? 1 : *std::ranges::max_element(scenario.nodes) + 1;
  const double ranks_a_node = static_cast<double>(schedule.ranks) / nodes;
  const double sharing = std::max(1.0, ranks_a_node * machine.nodes_per_machine / machine.cores);
  const auto working = static_cast<std::int32_t>(std::min<double>(ranks_a_node, machine.cores));
  Link link;
  double time = 0;
  double next_out = 0;
  Prediction prediction;
  const auto work = [&](double seconds) {
    prediction.cpu_seconds += seconds;
    time += seconds * sharing;
  };
  for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
    const std::uint32_t end = schedule.stage_end(stage);
    const std::vector<Rank> from = senders(schedule, stage);
    std::vector<double> arrivals;
    for (const bool receives : {true, false})
      for (std::uint32_t s = schedule.stages[stage]; s < end; ++s) {
        const Step& step = schedule.steps[s];
        if (schedule::is_receive(step) != receives)
          continue;
        work(costs[s].begin + (receives ? 0 : costs[s].contended_seconds(working)));
        if (step.kind != StepKind::send)
          continue;
        const double departure = std::max(time, next_out);
        next_out = departure + costs[s].gap;
        const double service =
            service_of(costs[s], std::ranges::binary_search(from, step.peer), ranks_a_node);
        arrivals.push_back(costs[s].latency +
                           (costs[s].is_remote ? link.pass(departure, service, burst) : departure + service));
      }
    std::size_t received = 0;
    const std::int64_t at_once = posted_at_once(schedule, stage);
    for (std::uint32_t s = schedule.stages[stage]; s < end; ++s)
      if (schedule::is_receive(schedule.steps[s])) {
        if (!arrivals.empty())
          time = std::max(time, arrivals[std::min(received, arrivals.size() - 1)]);
        const std::int64_t open = std::min(at_once, std::ssize(from) - static_cast<std::int64_t>(received++));
        if (sharing > 1)
          time += machine.switch_core.value;
        work(costs[s].finish + costs[s].contended_seconds(working) +
             costs[s].posted * static_cast<double>(std::max<std::int64_t>(open - 1, 0)));
      }
  }
  prediction.seconds = time;
  prediction.cpu_max = prediction.cpu_seconds;
  return prediction;
}

using machine::Level;
using machine::LevelCosts;
using machine::MessageCost;

namespace {

MessageCost free_message(std::int64_t bytes_max) {
  MessageCost cost;
  cost.bytes_max = bytes_max;
  return cost;
}

} // namespace

machine::Machine device_machine(const machine::Machine& machine) {
  machine::Machine cards;
  cards.network = machine.network;
  cards.cores = std::numeric_limits<std::int32_t>::max();
  cards.levels.push_back({.level = Level::node, .ranges = {free_message(INT64_MAX)}});
  LevelCosts& network = cards.levels.emplace_back(machine.at(Level::network));
  network.level = Level::network;
  network.pairs = 1;
  network.hops = 0;
  network.per_posted = {};
  for (MessageCost& cost : network.ranges) {
    const machine::Figure gap_per_byte = cost.gap_per_byte;
    cost = free_message(cost.bytes_max);
    cost.latency = machine.device.hop;
    cost.gap_per_byte = gap_per_byte;
  }
  return cards;
}

} // namespace thalweg::model
