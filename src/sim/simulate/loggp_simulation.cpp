// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/loggp_simulation.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <limits>

namespace thalweg::simulate {

namespace {

constexpr std::uint64_t events_between_progress = std::uint64_t{1} << 20;

std::size_t list_of(const Operation& one) {
  return one.kind == Kind::send ? 1 : 0;
}

} // namespace

LoggpSimulation::LoggpSimulation(const Program& program, const LoggpOptions& options)
    : program_(program), options_(options), network_(options.network), costs_(program, options.network),
      cores_(options.cores, program.size(), program.cpus), states_(program.operation_count),
      matching_(program, states_), stations_(std::size_t{program.size()} * program.cpus * program.nics),
      recorder_(program, options.trace, options.network != nullptr,
                options.noise.has_any() || cores_.has_any()) {
  if (network_ != nullptr && network_->packets)
    packets_.emplace(*network_, options.trace != nullptr, [this] {
      if (options_.progress)
        options_.progress(finished_ + messages_);
    });
  else if (network_ != nullptr && network_->shares_links)
    carrier_.emplace(*network_, options.trace != nullptr);
}

Result LoggpSimulation::run() {
  begin();
  std::uint64_t handled = 0;
  for (;;) {
    if (packets_)
      carry_packets();
    if (events_.empty())
      break;
    const Event event = events_.pop();
    if (++handled % events_between_progress == 0 && options_.progress)
      options_.progress(finished_ + messages_);
    handle(event);
  }
  if (packets_)
    packets_->require_empty();
  check_done();
  if (carrier_)
    recorder_.keep_spans(carrier_->flows().spans());
  if (packets_)
    recorder_.keep_spans(packets_->spans());
  recorder_.end(processor_ends());
  return outcome();
}

void LoggpSimulation::handle(const Event& event) {
  switch (event.kind) {
  case EventKind::due:
  case EventKind::first:
    handle_operation(event);
    break;
  case EventKind::arrival:
  case EventKind::taken:
    handle_message(event);
    break;
  case EventKind::leaving:
    handle_leaving(event);
    break;
  case EventKind::carried:
    handle_carried(event);
    break;
  case EventKind::sharing:
    share_links(event.time);
    break;
  case EventKind::core:
    look_at_core(event);
    break;
  }
}

const Operation& LoggpSimulation::operation(std::uint32_t rank, std::uint32_t number) const {
  const RankProgram& entry = program_.ranks[rank];
  return program_.operations[program_.patterns[entry.pattern].begin + (number - entry.begin)];
}

Ticks LoggpSimulation::ready_time(std::uint32_t rank, const Operation& one) const {
  const Ticks cpu = stations_[cpu_place(rank, one)].cpu;
  return one.kind == Kind::send ? std::max(cpu, stations_[nic_place(rank, one)].out) : cpu;
}

Ticks LoggpSimulation::taking_time(std::uint32_t target, const Operation& send) const {
  return std::max(stations_[cpu_place(target, send)].cpu, stations_[nic_place(target, send)].in);
}

std::uint32_t LoggpSimulation::next_order() {
  if (order_ == std::numeric_limits<std::uint32_t>::max())
    throw Error("the simulation has more than 2^32 events", "simulate fewer ranks or fewer messages");
  return order_++;
}

void LoggpSimulation::begin() {
  for (std::uint32_t rank = 0; rank < program_.size(); ++rank) {
    const auto operations = program_.operations_of(rank);
    const std::uint32_t begin = program_.ranks[rank].begin;
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      states_[begin + i].order = operations[i].requirements;
      if (operations[i].requirements == 0)
        freed_.push_back({i, 0, {}});
    }
    admit(rank);
  }
}

void LoggpSimulation::release(std::uint32_t rank, std::uint32_t number, bool is_start, Ticks not_before,
                              Cause cause) {
  const std::uint32_t begin = program_.ranks[rank].begin;
  for (const std::uint32_t dependent : program_.dependents_of(operation(rank, number)))
    if (((dependent & 1) != 0) == is_start && --states_[begin + (dependent >> 1)].order == 0)
      freed_.push_back({dependent >> 1, not_before, cause});
}

void LoggpSimulation::finish(std::uint32_t rank, std::uint32_t number, Ticks time, Cause cause) {
  ++finished_;
  release(rank, number, false, time, cause);
}

/// Lets the rank begin what has become free.
void LoggpSimulation::admit(std::uint32_t rank) {
  if (freed_.size() > 1) {
    const Operation* const operations = program_.operations_of(rank).data();
    const auto is_before = [operations](const Freed& a, const Freed& b) {
      return operations[a.operation].kind < operations[b.operation].kind;
    };
    if (options_.ties == Ties::as_loggopsim)
      std::sort(freed_.begin(), freed_.end(), is_before);
    else
      std::stable_sort(freed_.begin(), freed_.end(), is_before);
  }
  for (const Freed& freed : freed_)
    enter(rank, freed);
  freed_.clear();
}

void LoggpSimulation::enter(std::uint32_t rank, const Freed& freed) {
  const std::uint32_t number = program_.ranks[rank].begin + freed.operation;
  const Operation& one = operation(rank, number);
  const Ticks ready = ready_time(rank, one);
  states_[number].order = next_order();
  if (freed.not_before > ready)
    recorder_.note_due(number, freed.not_before, freed.cause);
  if (one.kind == Kind::receive)
    recorder_.note_post(number, std::max(ready, freed.not_before), cpu_of(rank, one));
  if (one.kind == Kind::receive || freed.not_before > ready)
    events_.push({std::max(ready, freed.not_before), states_[number].order, number, rank, EventKind::due});
  else
    wait(rank, number, one);
}

/// Puts an operation among those that wait for its processor, nearly always behind them.
void LoggpSimulation::wait(std::uint32_t rank, std::uint32_t number, const Operation& one) {
  Station& queue = waiting_at(rank, one);
  std::uint32_t& first = queue.first[list_of(one)];
  std::uint32_t& last = queue.last[list_of(one)];
  if (first == none || states_[last].order < states_[number].order) {
    states_[number].link = none;
    (first == none ? first : states_[last].link) = number;
    last = number;
  } else {
    std::uint32_t* place = &first;
    while (states_[*place].order < states_[number].order)
      place = &states_[*place].link;
    states_[number].link = *place;
    *place = number;
  }
  if (first == number)
    events_.push({ready_time(rank, one), states_[number].order, number, rank, EventKind::first});
}

void LoggpSimulation::handle_operation(const Event& event) {
  const Operation& one = operation(event.rank, event.operation);
  if (one.kind == Kind::receive) {
    post(event.rank, event.operation, one, event.time);
    return;
  }
  const bool is_waiting = event.kind == EventKind::first;
  std::uint32_t& first = waiting_at(event.rank, one).first[list_of(one)];
  if (is_waiting && first != event.operation)
    return; // another has come before it since
  if (const Ticks ready = ready_time(event.rank, one); ready > event.time) {
    if (is_waiting)
      events_.push({ready, event.order, event.operation, event.rank, EventKind::first});
    else
      wait(event.rank, event.operation, one);
    return;
  }
  Start start{event.time, 0};
  if (cores_.are_shared(event.rank) && work_of(event.rank, one) > 0) {
    const auto since = begin_on_core(event.rank, cpu_of(event.rank, one), event);
    if (!since)
      return;
    start = {*since, event.time - *since};
  }
  const std::uint32_t next = is_waiting ? states_[event.operation].link : none;
  if (is_waiting)
    first = next;
  execute(event.rank, event.operation, one, start);
  if (next != none && waiting_at(event.rank, one).first[list_of(one)] == next)
    events_.push({ready_time(event.rank, one), states_[next].order, next, event.rank, EventKind::first});
}

void LoggpSimulation::execute(std::uint32_t rank, std::uint32_t number, const Operation& one,
                              const Start& start) {
  const Ticks now = start.time;
  const std::size_t cpu = cpu_of(rank, one);
  Station& processor = stations_[cpu_place(rank, one)];
  const Cause begun{number, Reason::with_operation};
  const Cause done{number, Reason::after_operation};
  if (one.kind == Kind::compute) {
    const Ticks duration = program_.durations[one.cost];
    const Delay delay = delay_of(rank, cpu, start, duration);
    recorder_.note_begin(number, now, cpu, nullptr, false);
    recorder_.note_operation_delay(number, delay);
    processor.cpu = now + delay.core + duration + delay.noise;
    processor.busy += duration;
    release(rank, number, true, now + delay.core, begun);
    finish(rank, number, processor.cpu, done);
    admit(rank);
    return;
  }
  const MessageCost& cost = costs_.of(rank, one);
  const std::size_t nic = nic_of(rank, one);
  const Delay delay = delay_of(rank, cpu, start, cost.send());
  const Ticks away = delay.core + delay.noise;
  recorder_.note_begin(number, now, cpu, &nic, processor.cpu < now);
  recorder_.note_operation_delay(number, delay);
  processor.cpu = now + cost.send() + away;
  processor.busy += cost.send();
  stations_[nic_place(rank, one)].out = now + delay.core + cost.interface_out();
  release(rank, number, true, now + delay.core, begun);
  states_[number].order = next_order();
  ++messages_;
  send_off(rank, number, one, now + away);
  if (!cost.is_rendezvous)
    finish(rank, number, now + cost.send() + away, done);
  admit(rank);
}

void LoggpSimulation::post(std::uint32_t rank, std::uint32_t number, const Operation& one, Ticks now) {
  const Cause cause{number, Reason::with_operation};
  const std::uint32_t message = matching_.post(rank, number, one);
  if (message != none) {
    meet({message, program_.owner(message), now, cause}, {number, rank, now, cause}, true);
    return;
  }
  release(rank, number, true, now, cause);
  admit(rank);
}

/// A message has met its receive, which begins now or has begun before. If the message is long, its sender
/// goes on too; the lower rank first.
void LoggpSimulation::meet(const End& sent, const End& received, bool begins) {
  ++met_;
  const Operation& send = operation(sent.rank, sent.number);
  const bool is_rendezvous = program_.costs[send.cost].is_rendezvous; // wherever it goes
  if (is_rendezvous)
    hold(sent, send);
  const auto finish_send = [&] { finish(sent.rank, sent.number, sent.time, sent.cause); };
  if (is_rendezvous && sent.rank < received.rank) {
    finish_send();
    admit(sent.rank);
  }
  if (begins)
    release(received.rank, received.number, true, received.time, received.cause);
  if (is_rendezvous && sent.rank == received.rank)
    finish_send();
  finish(received.rank, received.number, received.time, received.cause);
  admit(received.rank);
  if (is_rendezvous && sent.rank > received.rank) {
    finish_send();
    admit(sent.rank);
  }
}

/// The sender of a long message has waited for its receive.
void LoggpSimulation::hold(const End& sent, const Operation& send) {
  if (Ticks& cpu = stations_[cpu_place(sent.rank, send)].cpu; cpu < sent.time) {
    cpu = sent.time;
    recorder_.note_held_cpu(cpu_of(sent.rank, send), sent.cause);
  }
  if (Ticks& out = stations_[nic_place(sent.rank, send)].out; out < sent.time) {
    out = sent.time;
    recorder_.note_held_nic(nic_of(sent.rank, send), sent.cause);
  }
}

void LoggpSimulation::handle_message(const Event& event) {
  const Operation& send = operation(event.rank, event.operation);
  const std::uint32_t target = program_.target_of(event.rank, send);
  Station& queue = waiting_at(target, send);
  const bool is_waiting = event.kind == EventKind::taken;
  if (is_waiting && queue.message != event.operation)
    return; // another has come before it since
  if (const Ticks ready = taking_time(target, send); ready > event.time) {
    if (!is_waiting && queue.message != none) {
      const bool is_first = event.order < states_[queue.message].order;
      const std::uint32_t later = is_first ? queue.message : event.operation;
      heaps_.add(queue.heap, states_[later].order, later);
      if (!is_first)
        return;
    }
    queue.message = event.operation;
    events_.push({ready, event.order, event.operation, event.rank, EventKind::taken});
    return;
  }
  Start start{event.time, 0};
  bool has_waited = is_waiting;
  if (cores_.are_shared(target) && costs_.of(event.rank, send).receive() > 0) {
    const auto since = begin_on_core(target, cpu_of(target, send), event);
    if (!since)
      return;
    start = {*since, event.time - *since};
    has_waited = is_waiting || stations_[cpu_place(target, send)].cpu == *since;
  }
  std::uint32_t next = none;
  if (is_waiting) {
    next = queue.heap == WaitingMessages::no_heap ? none : heaps_.take(queue.heap);
    queue.message = next;
  }
  take_in(event, send, target, start, has_waited);
  if (next == none)
    return;
  const std::uint32_t sender = program_.owner(next);
  events_.push(
      {taking_time(target, operation(sender, next)), states_[next].order, next, sender, EventKind::taken});
}

void LoggpSimulation::take_in(const Event& event, const Operation& send, std::uint32_t target,
                              const Start& start, bool has_waited) {
  const Ticks now = start.time;
  const MessageCost& cost = costs_.of(event.rank, send);
  Station& processor = stations_[cpu_place(target, send)];
  recorder_.note_message(event.operation, now, has_waited, cpu_of(target, send), nic_of(target, send),
                         processor.cpu < now);
  const Delay delay = delay_of(target, cpu_of(target, send), start, cost.receive());
  const Ticks away = delay.core + delay.noise;
  recorder_.note_message_delay(event.operation, delay);
  processor.cpu = now + cost.receive() + away;
  processor.busy += cost.receive();
  stations_[nic_place(target, send)].in = now + delay.core + cost.interface_in();
  const std::uint32_t receive = matching_.arrive(event.operation, send, event.rank, target);
  if (receive != none)
    meet({event.operation, event.rank, now + delay.core, {event.operation, Reason::with_message}},
         {receive, target, now + cost.receive() + away, {event.operation, Reason::after_message}}, false);
}

std::vector<Ticks> LoggpSimulation::processor_ends() const {
  std::vector<Ticks> ends;
  for (std::size_t place = 0; place < stations_.size(); place += program_.nics)
    ends.push_back(stations_[place].cpu);
  return ends;
}

Result LoggpSimulation::outcome() const {
  Result result{
      .operations = program_.operation_count, .messages = messages_, .events = finished_ + messages_};
  result.ends.resize(program_.size());
  result.busy.resize(program_.size());
  const std::size_t places = std::size_t{program_.cpus} * program_.nics;
  for (std::size_t place = 0; place < stations_.size(); place += program_.nics) {
    const std::size_t rank = place / places;
    result.ends[rank] = std::max(result.ends[rank], stations_[place].cpu);
    result.busy[rank] += stations_[place].busy;
  }
  const auto last = std::ranges::max_element(result.ends);
  result.last_rank = static_cast<std::uint32_t>(last - result.ends.begin());
  result.finish = *last;
  if (carrier_)
    result.links = carrier_->flows().loads();
  if (packets_) {
    result.links = packets_->loads();
    result.packets = packets_->packets();
    result.packet_hops = packets_->hops();
  }
  if (program_.folded != 0) {
    result.ends.assign(program_.folded, result.finish);
    result.busy.assign(program_.folded, result.busy[0]);
  }
  return result;
}

Result simulate_loggp(const Program& program, const LoggpOptions& options) {
  return LoggpSimulation(program, options).run();
}

} // namespace thalweg::simulate
