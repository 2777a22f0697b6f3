#include "model/walk.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
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

} // namespace

Walk::Walk(std::span<const Schedule> schedules, std::int64_t unit_bytes, const Setting& setting)
    : setting_(setting), routes_(setting.machine, node_count(setting)), links_(routes_.links()) {
  const machine::Machine& machine = setting.machine;
  const machine::LevelCosts& network = machine.at(machine::Level::network);
  burst_seconds_ = network.burst_bytes * network.ranges.back().gap_per_byte.value;
  const std::int32_t machines = (node_count(setting) - 1) / machine.nodes_per_machine + 1;
  std::vector<std::int32_t> ranks_on(static_cast<std::size_t>(machines));
  for (const Schedule& schedule : schedules)
    ++ranks_on[node(schedule.rank) / static_cast<std::size_t>(machine.nodes_per_machine)];
  for (const std::int32_t ranks : ranks_on)
    cores_.emplace_back(machine.cores, ranks, machine.switch_core.value);
  working_.resize(cores_.size());
  walkers_.reserve(schedules.size());
  for (const Schedule& schedule : schedules)
    walkers_.push_back(make_walker(schedule, unit_bytes));
}

Walk::Walker Walk::make_walker(const Schedule& schedule, std::int64_t unit_bytes) const {
  Walker walker{.schedule = &schedule,
                .costs = StepCosts(schedule, unit_bytes, setting_),
                .waits = std::vector<std::uint32_t>(schedule.steps.size()),
                .here = std::vector<std::uint8_t>(schedule.steps.size()),
                .sequence = std::vector<std::uint32_t>(schedule.steps.size()),
                .receives = {},
                .successors = {}};
  if (!schedule.predecessors.empty())
    walker.successors.resize(schedule.steps.size());
  std::map<Rank, std::uint32_t> sent;
  for (std::uint32_t s = 0; s < schedule.steps.size(); ++s) {
    const Step& step = schedule.steps[s];
    walker.waits[s] = step.predecessors.size;
    for (const std::uint32_t predecessor : schedule.predecessors_of(step))
      walker.successors[predecessor].push_back(s);
    if (step.kind == StepKind::send)
      walker.sequence[s] = sent[step.peer]++;
    else if (schedule::is_receive(step))
      walker.receives.push_back({step.peer, s});
  }
  std::ranges::stable_sort(walker.receives, {}, &Receive::peer);
  return walker;
}

Prediction Walk::run() {
  for (std::size_t rank = 0; rank < walkers_.size(); ++rank)
    begin_stage(static_cast<Rank>(rank), 0);
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    if (event.kind == Kind::worked)
      worked(event);
    else if (event.kind == Kind::arrived)
      arrived(event);
    else
      taken(event.rank, event.step, event.time);
  }
  Prediction prediction;
  for (const Walker& walker : walkers_) {
    if (walker.stage < walker.schedule->stages.size())
      throw Error(fmt::format("rank {} of the schedule waits for ever in stage {}", walker.schedule->rank,
                              walker.stage),
                  "prove it: thalweg verify");
    prediction.seconds = std::max(prediction.seconds, walker.end);
    prediction.cpu_most = std::max(prediction.cpu_most, walker.cpu);
    prediction.cpu_seconds += walker.cpu / static_cast<double>(walkers_.size());
  }
  return prediction;
}

void Walk::push(Event event) {
  event.order = order_++;
  events_.push(event);
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
  const Step& step = walker.schedule->steps[task.step];
  const bool copies = (task.work == Work::finish) == schedule::is_receive(step);
  const std::int32_t working = ++working_[machine(rank)];
  double duration = task.work == Work::begin ? cost.begin : cost.finish;
  if (copies)
    duration += cost.crowded(working);
  if (task.work == Work::finish && (walker.here[task.step] & unexpected) != 0)
    duration += cost.unexpected;
  walker.cpu += duration;
  push({.time = time + duration,
        .order = 0,
        .kind = Kind::worked,
        .work = task.work,
        .rank = rank,
        .step = task.step});
}

void Walk::worked(const Event& event) {
  Walker& walker = at(event.rank);
  walker.tasks.pop_front();
  --working_[machine(event.rank)];
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
  if (!walker.successors.empty())
    for (const std::uint32_t successor : walker.successors[step])
      if (--walker.waits[successor] == 0)
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
  const std::vector<Receive>& receives = at(peer).receives;
  const auto first = std::ranges::lower_bound(receives, rank, {}, &Receive::peer);
  const auto index = static_cast<std::size_t>(first - receives.begin()) + walker.sequence[step];
  if (index >= receives.size() || receives[index].peer != rank)
    throw Error(fmt::format("rank {} sends rank {} a message that it does not receive", rank, peer),
                "prove the schedule: thalweg verify");
  push({.time = carry(rank, step, departure),
        .order = 0,
        .kind = Kind::arrived,
        .work = Work::finish,
        .rank = peer,
        .step = receives[index].step});
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
    const auto other = under_way_.find({peer, rank});
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
    under_way_[{rank, peer}] = arrival;
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
  push(later);
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
