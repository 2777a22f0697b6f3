#include "model/walk.hpp"

#include "core/error.hpp"

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

std::int32_t node_count(const Setting& setting) {
  return setting.nodes.empty() ? 1 : *std::ranges::max_element(setting.nodes) + 1;
}

std::uint64_t connection(Rank from, Rank to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
}

} // namespace

Walk::Walk(std::span<const Schedule> schedules, std::int64_t unit_bytes, const Setting& setting)
    : setting_(setting), routes_(setting.machine, node_count(setting)), links_(routes_.links()) {
  const machine::Machine& machine = setting.machine;
  const machine::LevelCosts& network = machine.at(machine::Level::network);
  burst_seconds_ = network.burst_bytes * network.ranges.back().gap_per_byte.value;
  const std::int32_t machines = (node_count(setting) - 1) / machine.nodes_per_machine + 1;
  std::vector<std::int32_t> ranks_on(static_cast<std::size_t>(machines));
  walkers_.reserve(schedules.size());
  for (const Schedule& schedule : schedules) {
    walkers_.push_back(make_walker(schedule, unit_bytes));
    ++ranks_on[walkers_.back().machine];
  }
  for (const std::int32_t ranks : ranks_on)
    cores_.emplace_back(machine.cores, ranks, machine.switch_core.value);
  working_.resize(cores_.size());
}

Walk::Walker Walk::make_walker(const Schedule& schedule, std::int64_t unit_bytes) const {
  Walker walker{.schedule = &schedule,
                .costs = StepCosts(schedule, unit_bytes, setting_),
                .machine = node(schedule.rank) / static_cast<std::size_t>(setting_.machine.nodes_per_machine),
                .waits = std::vector<std::uint32_t>(schedule.steps.size()),
                .here = std::vector<std::uint8_t>(schedule.steps.size()),
                .sequence = std::vector<std::uint32_t>(schedule.steps.size()),
                .receives = {}};
  std::vector<Message> sends;
  for (std::uint32_t s = 0; s < schedule.steps.size(); ++s) {
    const Step& step = schedule.steps[s];
    walker.waits[s] = step.predecessors.size;
    if (step.kind == StepKind::send)
      sends.push_back({step.peer, s});
    else if (schedule::is_receive(step))
      walker.receives.push_back({step.peer, s});
  }
  std::ranges::sort(walker.receives);
  std::ranges::sort(sends);
  for (std::size_t i = 1; i < sends.size(); ++i)
    if (sends[i].peer == sends[i - 1].peer)
      walker.sequence[sends[i].step] = walker.sequence[sends[i - 1].step] + 1;
  if (!schedule.predecessors.empty())
    link_successors(walker);
  return walker;
}

void Walk::link_successors(Walker& walker) {
  const Schedule& schedule = *walker.schedule;
  std::vector<std::uint32_t>& begin = walker.successor_begin;
  begin.resize(schedule.steps.size() + 1);
  for (const std::uint32_t predecessor : schedule.predecessors)
    ++begin[predecessor + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  walker.successors.resize(schedule.predecessors.size());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (std::uint32_t s = 0; s < schedule.steps.size(); ++s)
    for (const std::uint32_t predecessor : schedule.predecessors_of(schedule.steps[s]))
      walker.successors[next[predecessor]++] = s;
}

Prediction Walk::run(double enough_seconds) {
  for (std::size_t rank = 0; rank < walkers_.size(); ++rank)
    begin_stage(static_cast<Rank>(rank), 0);
  while (!events_.empty()) {
    const Event event = events_.pop();
    if (event.time > enough_seconds)
      return outcome(event.time);
    if (event.kind == Kind::worked)
      worked(event);
    else if (event.kind == Kind::arrived)
      arrived(event);
    else
      taken(event.rank, event.step, event.time);
  }
  for (const Walker& walker : walkers_)
    if (walker.stage < walker.schedule->stages.size())
      throw Error(fmt::format("rank {} of the schedule waits for ever in stage {}", walker.schedule->rank,
                              walker.stage),
                  "prove it: thalweg verify");
  return outcome(std::nullopt);
}

// What processors do at least is known from the steps; what depends on who waits for whom, as far as walked.
Prediction Walk::outcome(std::optional<double> stopped) const {
  Prediction prediction{.seconds = stopped.value_or(0), .is_bound = stopped.has_value()};
  for (const Walker& walker : walkers_) {
    const double cpu = walker.costs.processor_seconds() + walker.delays;
    prediction.seconds = std::max(prediction.seconds, walker.end);
    prediction.cpu_most = std::max(prediction.cpu_most, cpu);
    prediction.cpu_seconds += cpu / static_cast<double>(walkers_.size());
  }
  return prediction;
}

// Stages without steps are passed at once.
void Walk::begin_stage(Rank rank, double time) {
  Walker& walker = at(rank);
  const Schedule& schedule = *walker.schedule;
  while (walker.stage < schedule.stages.size()) {
    const std::uint32_t begin = schedule.stages[walker.stage];
    const std::uint32_t end = schedule.stage_end(walker.stage);
    walker.unfinished = end - begin;
    if (walker.unfinished == 0) {
      ++walker.stage;
      continue;
    }
    // The engine posts receives first.
    for (const bool receives : {true, false})
      for (std::uint32_t s = begin; s < end; ++s)
        if (schedule::is_receive(schedule.steps[s]) == receives && walker.waits[s] == 0)
          add_task(rank, {s, Work::begin}, time);
    return;
  }
  walker.end = time;
}

void Walk::add_task(Rank rank, Task task, double time) {
  Walker& walker = at(rank);
  walker.tasks.push_back(task);
  if (walker.has_core)
    return;
  walker.has_core = true;
  if (const auto delay = cores_of(rank).request(rank))
    run_next(rank, time + *delay);
}

void Walk::run_next(Rank rank, double time) {
  Walker& walker = at(rank);
  const Task task = walker.tasks.front();
  const StepCost& cost = walker.costs[task.step];
  const bool copies = (task.work == Work::begin) == cost.is_send;
  const std::int32_t working = ++working_[walker.machine];
  double delay = copies ? cost.crowded(working) : 0;
  if (task.work == Work::finish && (walker.here[task.step] & unexpected) != 0)
    delay += cost.unexpected;
  walker.delays += delay;
  const double duration = (task.work == Work::begin ? cost.begin : cost.finish) + delay;
  events_.push(
      {.time = time + duration, .rank = rank, .step = task.step, .kind = Kind::worked, .work = task.work});
}

void Walk::worked(const Event& event) {
  Walker& walker = at(event.rank);
  walker.tasks.pop_front();
  --working_[walker.machine];
  const Step& step = walker.schedule->steps[event.step];
  if (event.work == Work::begin && schedule::is_receive(step)) {
    walker.here[event.step] |= posted;
    if ((walker.here[event.step] & come) != 0)
      walker.tasks.push_back({event.step, Work::finish});
  } else {
    if (step.kind == StepKind::send)
      depart(event.rank, event.step, event.time);
    finish_step(event.rank, event.step, event.time);
  }
  if (!walker.tasks.empty()) {
    run_next(event.rank, event.time);
    return;
  }
  meet_early(walker);
  walker.has_core = false;
  if (const auto turn = cores_of(event.rank).release(event.rank))
    run_next(turn->rank, event.time + turn->delay);
}

void Walk::finish_step(Rank rank, std::uint32_t step, double time) {
  Walker& walker = at(rank);
  if (!walker.successor_begin.empty())
    for (std::uint32_t i = walker.successor_begin[step]; i < walker.successor_begin[step + 1]; ++i)
      if (const std::uint32_t successor = walker.successors[i]; --walker.waits[successor] == 0)
        add_task(rank, {successor, Work::begin}, time);
  if (--walker.unfinished == 0) {
    ++walker.stage;
    begin_stage(rank, time);
  }
}

void Walk::depart(Rank rank, std::uint32_t step, double time) {
  Walker& walker = at(rank);
  const Rank peer = walker.schedule->steps[step].peer;
  const double departure = std::max(time, walker.next_out);
  walker.next_out = departure + walker.costs[step].gap;
  const std::vector<Message>& receives = at(peer).receives;
  const auto first = std::ranges::lower_bound(receives, rank, {}, &Message::peer);
  const auto index = static_cast<std::size_t>(first - receives.begin()) + walker.sequence[step];
  if (index >= receives.size() || receives[index].peer != rank)
    throw Error(fmt::format("rank {} sends rank {} a message that it does not receive", rank, peer),
                "prove the schedule: thalweg verify");
  events_.push({.time = carry(rank, step, departure),
                .rank = peer,
                .step = receives[index].step,
                .kind = Kind::arrived,
                .work = Work::finish});
}

// When a message that leaves at `time` has come.
double Walk::carry(Rank rank, std::uint32_t step, double time) {
  Walker& walker = at(rank);
  const StepCost& cost = walker.costs[step];
  const Rank peer = walker.schedule->steps[step].peer;
  if (!cost.is_remote)
    return time + cost.transfer + cost.latency;
  // The second of two messages that meet between two ranks has what the first leaves of their connection.
  const auto meets = [&] {
    const auto other = under_way_.find(connection(peer, rank));
    return other != under_way_.end() && other->second > time;
  };
  const double two_way = cost.two_way > 1 && meets() ? cost.two_way : 1;
  double arrival = walker.lane.pass(time, cost.transfer * two_way, burst_seconds_);
  // A message's head is on the last link while its tail is still on the first.
  for (const std::int32_t link :
       routes_.between(static_cast<std::int32_t>(node(rank)), static_cast<std::int32_t>(node(peer))))
    arrival = std::max(arrival, links_[static_cast<std::size_t>(link)].pass(time, cost.transfer * cost.share,
                                                                            burst_seconds_));
  if (cost.two_way > 1)
    under_way_[connection(rank, peer)] = arrival;
  return arrival + cost.latency;
}

void Walk::arrived(const Event& event) {
  Walker& walker = at(event.rank);
  const double time = std::max(event.time, walker.next_in);
  walker.next_in = time + walker.costs[event.step].gap;
  if (time == event.time) {
    taken(event.rank, event.step, time);
    return;
  }
  Event later = event;
  later.kind = Kind::taken;
  later.time = time;
  events_.push(later);
}

void Walk::taken(Rank rank, std::uint32_t step, double time) {
  Walker& walker = at(rank);
  walker.here[step] |= come;
  if ((walker.here[step] & posted) != 0) {
    add_task(rank, {step, Work::finish}, time);
    return;
  }
  walker.early.push_back(step);
  if (walker.tasks.empty())
    meet_early(walker);
}

// A rank that waits sees all that has come: what it has not asked for is kept apart.
void Walk::meet_early(Walker& walker) {
  for (const std::uint32_t step : walker.early)
    if ((walker.here[step] & posted) == 0)
      walker.here[step] |= unexpected;
  walker.early.clear();
}

} // namespace thalweg::model
