// SPDX-License-Identifier: BSD-3-Clause
#include "model/event_simulation.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace thalweg::model {

using schedule::Schedule;
using schedule::Step;
using schedule::StepKind;

namespace {

constexpr std::uint8_t posted = 1;
constexpr std::uint8_t come = 2;
constexpr std::uint8_t unexpected = 4;

std::int32_t node_count(const Scenario& scenario) {
  return scenario.nodes.empty() ? 1 : *std::ranges::max_element(scenario.nodes) + 1;
}

std::uint64_t connection(Rank from, Rank to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
}

} // namespace

EventSimulation::EventSimulation(std::span<const Schedule> schedules, std::int64_t unit_bytes,
                                 const Scenario& scenario)
    : scenario_(scenario), routes_(scenario.known_places(), node_count(scenario)), links_(routes_.links()) {
  const machine::Machine& machine = scenario.machine;
  const machine::LevelCosts& network = machine.at(machine::Level::network);
  burst_seconds_ = network.burst_bytes * network.ranges.back().gap_per_byte.value;
  const std::int32_t machines = (node_count(scenario) - 1) / machine.nodes_per_machine + 1;
  std::vector<std::int32_t> ranks_on(static_cast<std::size_t>(machines));
  states_.reserve(schedules.size());
  for (const Schedule& schedule : schedules) {
    states_.push_back(make_state(schedule, unit_bytes));
    ++ranks_on[states_.back().machine];
  }
  THALWEG_ASSERT(light, scenario.nodes.empty() || scenario.nodes.size() >= schedules.size());
  for (const std::int32_t ranks : ranks_on)
    cores_.emplace_back(machine.cores, ranks, machine.switch_core.value);
  working_.resize(cores_.size());
  senders_.resize(cores_.size());
}

EventSimulation::RankState EventSimulation::make_state(const Schedule& schedule,
                                                       std::int64_t unit_bytes) const {
  RankState state{.schedule = &schedule,
                  .costs = StepCosts(schedule, unit_bytes, scenario_),
                  .machine =
                      node(schedule.rank) / static_cast<std::size_t>(scenario_.machine.nodes_per_machine),
                  .waits = std::vector<std::uint32_t>(schedule.steps.size()),
                  .here = std::vector<std::uint8_t>(schedule.steps.size()),
                  .sequence = std::vector<std::uint32_t>(schedule.steps.size()),
                  .receives = {}};
  std::vector<Message> sends;
  for (std::uint32_t s = 0; s < schedule.steps.size(); ++s) {
    const Step& step = schedule.steps[s];
    state.waits[s] = step.predecessors.size;
    if (step.kind == StepKind::send)
      sends.push_back({step.peer, s});
    else if (schedule::is_receive(step))
      state.receives.push_back({step.peer, s});
  }
  std::ranges::sort(state.receives);
  std::ranges::sort(sends);
  for (std::size_t i = 1; i < sends.size(); ++i)
    if (sends[i].peer == sends[i - 1].peer)
      state.sequence[sends[i].step] = state.sequence[sends[i - 1].step] + 1;
  if (!schedule.predecessors.empty())
    link_successors(state);
  return state;
}

void EventSimulation::link_successors(RankState& state) {
  const Schedule& schedule = *state.schedule;
  std::vector<std::uint32_t>& begin = state.successor_begin;
  begin.resize(schedule.steps.size() + 1);
  for (const std::uint32_t predecessor : schedule.predecessors)
    ++begin[predecessor + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  state.successors.resize(schedule.predecessors.size());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (std::uint32_t s = 0; s < schedule.steps.size(); ++s)
    for (const std::uint32_t predecessor : schedule.predecessors_of(schedule.steps[s]))
      state.successors[next[predecessor]++] = s;
}

Prediction EventSimulation::run(double enough_seconds) {
  for (std::size_t rank = 0; rank < states_.size(); ++rank)
    begin_stage(static_cast<Rank>(rank), 0);
  while (!events_.empty()) {
    const Event event = events_.pop();
    if (event.time > enough_seconds)
      return outcome(event.time);
    if (event.kind == EventKind::worked)
      worked(event);
    else if (event.kind == EventKind::arrived)
      arrived(event);
    else
      taken(event.rank, event.step, event.time);
  }
  for (const RankState& state : states_)
    if (state.stage < state.schedule->stages.size())
      throw Error(fmt::format("rank {} of the schedule waits for ever in stage {}", state.schedule->rank,
                              state.stage),
                  "prove it: thalweg strategies verify");
  return outcome(std::nullopt);
}

// What processors do at least is known from the steps; what depends on who waits for whom, as far as
// simulated.
Prediction EventSimulation::outcome(std::optional<double> stopped) const {
  Prediction prediction{.seconds = stopped.value_or(0), .is_bound = stopped.has_value()};
  for (const RankState& state : states_) {
    const double cpu = state.costs.processor_seconds() + state.delays;
    prediction.seconds = std::max(prediction.seconds, state.end);
    prediction.cpu_max = std::max(prediction.cpu_max, cpu);
    prediction.cpu_seconds += cpu / static_cast<double>(states_.size());
  }
  return prediction;
}

// Stages without steps are passed at once.
void EventSimulation::begin_stage(Rank rank, double time) {
  RankState& state = at(rank);
  const Schedule& schedule = *state.schedule;
  while (state.stage < schedule.stages.size()) {
    const std::uint32_t begin = schedule.stages[state.stage];
    const std::uint32_t end = schedule.stage_end(state.stage);
    state.unfinished = end - begin;
    if (state.unfinished == 0) {
      ++state.stage;
      continue;
    }
    // The engine posts receives first.
    for (const bool receives : {true, false})
      for (std::uint32_t s = begin; s < end; ++s)
        if (schedule::is_receive(schedule.steps[s]) == receives && state.waits[s] == 0)
          add_task(rank, {s, Work::begin}, time);
    return;
  }
  state.end = time;
}

void EventSimulation::add_task(Rank rank, Task task, double time) {
  RankState& state = at(rank);
  state.tasks.push_back(task);
  if (state.has_core)
    return;
  state.has_core = true;
  if (const auto delay = cores_of(rank).request(rank))
    run_next(rank, time + *delay);
}

void EventSimulation::run_next(Rank rank, double time) {
  RankState& state = at(rank);
  THALWEG_ASSERT(normal, state.has_core && !state.tasks.empty());
  const Task task = state.tasks.front();
  const StepCost& cost = state.costs[task.step];
  const bool copies = (task.work == Work::begin) == cost.is_send;
  const std::int32_t working = ++working_[state.machine];
  double delay = copies ? cost.contended_seconds(working) : 0;
  if (task.work == Work::finish && (state.here[task.step] & unexpected) != 0)
    delay += cost.unexpected;
  if (task.work == Work::finish)
    delay += cost.posted * (open_receives(rank, task.step) - 1);
  state.delays += delay;
  const double duration = (task.work == Work::begin ? cost.begin : cost.finish) + delay;
  events_.push({.time = time + duration,
                .rank = rank,
                .step = task.step,
                .kind = EventKind::worked,
                .work = task.work});
}

void EventSimulation::worked(const Event& event) {
  RankState& state = at(event.rank);
  THALWEG_ASSERT(normal, working_[state.machine] > 0);
  state.tasks.pop_front();
  --working_[state.machine];
  const Step& step = state.schedule->steps[event.step];
  if (event.work == Work::begin && schedule::is_receive(step)) {
    state.here[event.step] |= posted;
    ++open_receives(event.rank, event.step);
    if ((state.here[event.step] & come) != 0)
      state.tasks.push_back({event.step, Work::finish});
  } else {
    if (step.kind == StepKind::send)
      depart(event.rank, event.step, event.time);
    else if (event.work == Work::finish)
      --open_receives(event.rank, event.step);
    finish_step(event.rank, event.step, event.time);
  }
  if (!state.tasks.empty()) {
    run_next(event.rank, event.time);
    return;
  }
  mark_unexpected(state);
  state.has_core = false;
  if (const auto grant = cores_of(event.rank).release(event.rank))
    run_next(grant->rank, event.time + grant->delay);
}

// Receives that a message is looked for among: memory and network each have their own.
std::int32_t& EventSimulation::open_receives(Rank rank, std::uint32_t step) {
  RankState& state = at(rank);
  return state.open[state.costs[step].is_remote ? 1 : 0];
}

void EventSimulation::finish_step(Rank rank, std::uint32_t step, double time) {
  RankState& state = at(rank);
  THALWEG_ASSERT(normal, state.unfinished > 0 && state.waits[step] == 0);
  if (!state.successor_begin.empty())
    for (std::uint32_t i = state.successor_begin[step]; i < state.successor_begin[step + 1]; ++i)
      if (const std::uint32_t successor = state.successors[i]; --state.waits[successor] == 0)
        add_task(rank, {successor, Work::begin}, time);
  if (--state.unfinished == 0) {
    ++state.stage;
    begin_stage(rank, time);
  }
}

void EventSimulation::depart(Rank rank, std::uint32_t step, double time) {
  RankState& state = at(rank);
  const Rank peer = state.schedule->steps[step].peer;
  const double departure = std::max(time, state.next_out);
  state.next_out = departure + state.costs[step].gap;
  const std::vector<Message>& receives = at(peer).receives;
  const auto first = std::ranges::lower_bound(receives, rank, {}, &Message::peer);
  const auto index = static_cast<std::size_t>(first - receives.begin()) + state.sequence[step];
  if (index >= receives.size() || receives[index].peer != rank)
    throw Error(fmt::format("rank {} sends rank {} a message that it does not receive", rank, peer),
                "prove the schedule: thalweg strategies verify");
  const double loaded =
      state.costs[step].loaded_seconds(senders_[state.machine] - (state.under_way > 0 ? 1 : 0));
  if (state.under_way++ == 0)
    ++senders_[state.machine];
  events_.push({.time = carry(rank, step, departure) + loaded,
                .rank = peer,
                .step = receives[index].step,
                .kind = EventKind::arrived,
                .work = Work::finish});
}

// When a message that leaves at `time` has come.
double EventSimulation::carry(Rank rank, std::uint32_t step, double time) {
  const StepCost& cost = at(rank).costs[step];
  return cost.is_remote ? cross(rank, step, time) : time + cost.transfer + cost.latency;
}

// The same of a message between nodes.
double EventSimulation::cross(Rank rank, std::uint32_t step, double time) {
  RankState& state = at(rank);
  const StepCost& cost = state.costs[step];
  const Rank peer = state.schedule->steps[step].peer;
  const auto from = static_cast<std::int32_t>(node(rank));
  const auto to = static_cast<std::int32_t>(node(peer));
  const Distance farther = routes_.distance(scenario_.machine, from, to);
  const double transfer = cost.transfer + farther.per_byte * static_cast<double>(cost.bytes);
  // The second of two messages that meet between two ranks has what the first leaves of their connection.
  const auto meets = [&] {
    const auto other = in_transit_.find(connection(peer, rank));
    return other != in_transit_.end() && other->second > time;
  };
  const double two_way = cost.two_way > 1 && meets() ? cost.two_way : 1;
  double arrival = state.injection_link.pass(time, transfer * two_way, burst_seconds_);
  // A message's head is on the last link while its tail is still on the first.
  for (const std::int32_t link : routes_.between(from, to))
    arrival = std::max(
        arrival, links_[static_cast<std::size_t>(link)].pass(time, transfer * cost.share, burst_seconds_));
  THALWEG_ASSERT(normal, arrival >= time);
  if (cost.two_way > 1)
    in_transit_[connection(rank, peer)] = arrival;
  return arrival + std::max(0.0, cost.latency + farther.latency);
}

void EventSimulation::arrived(const Event& event) {
  RankState& state = at(event.rank);
  if (RankState& sender = at(state.schedule->steps[event.step].peer); --sender.under_way == 0)
    --senders_[sender.machine];
  const double time = std::max(event.time, state.next_in);
  state.next_in = time + state.costs[event.step].gap;
  if (time == event.time) {
    taken(event.rank, event.step, time);
    return;
  }
  Event later = event;
  later.kind = EventKind::taken;
  later.time = time;
  events_.push(later);
}

void EventSimulation::taken(Rank rank, std::uint32_t step, double time) {
  RankState& state = at(rank);
  THALWEG_ASSERT(normal, (state.here[step] & come) == 0);
  state.here[step] |= come;
  if ((state.here[step] & posted) != 0) {
    add_task(rank, {step, Work::finish}, time);
    return;
  }
  state.early.push_back(step);
  if (state.tasks.empty())
    mark_unexpected(state);
}

// A rank that waits sees all that has come: what it has not asked for is kept apart.
void EventSimulation::mark_unexpected(RankState& state) {
  for (const std::uint32_t step : state.early)
    if ((state.here[step] & posted) == 0)
      state.here[step] |= unexpected;
  state.early.clear();
}

} // namespace thalweg::model
