#include "simulate/loggp_simulation.hpp"

#include "core/error.hpp"

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
    : program_(program), options_(options), links_(program.operation_count, none),
      state_(program.operation_count), matching_(program, links_),
      cpus_(std::size_t{program.size()} * program.cpus), nics_(std::size_t{program.size()} * program.nics),
      waiting_(cpus_.size() * program.nics), busy_(program.size()), recorder_(program, options.trace) {}

Result LoggpSimulation::run() {
  begin();
  std::uint64_t handled = 0;
  while (!events_.empty()) {
    const Event event = events_.pop();
    if (++handled % events_between_progress == 0 && options_.progress)
      options_.progress(finished_ + messages_);
    if (event.kind == EventKind::due || event.kind == EventKind::first)
      handle_operation(event);
    else
      handle_message(event);
  }
  check_done();
  recorder_.end(cpus_);
  return outcome();
}

const Operation& LoggpSimulation::operation(std::uint32_t rank, std::uint32_t number) const {
  const RankProgram& entry = program_.ranks[rank];
  return program_.operations[program_.patterns[entry.pattern].begin + (number - entry.begin)];
}

Ticks LoggpSimulation::ready_time(std::uint32_t rank, const Operation& one) const {
  const Ticks cpu = cpus_[cpu_of(rank, one)];
  return one.kind == Kind::send ? std::max(cpu, nics_[nic_of(rank, one)].out) : cpu;
}

Ticks LoggpSimulation::taking_time(std::uint32_t target, const Operation& send) const {
  return std::max(cpus_[cpu_of(target, send)], nics_[nic_of(target, send)].in);
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
      state_[begin + i] = operations[i].requirements;
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
    if (((dependent & 1) != 0) == is_start && --state_[begin + (dependent >> 1)] == 0)
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
  state_[number] = next_order();
  if (freed.not_before > ready)
    recorder_.note_due(number, freed.not_before, freed.cause);
  if (one.kind == Kind::receive)
    recorder_.note_post(number, std::max(ready, freed.not_before), cpu_of(rank, one));
  if (one.kind == Kind::receive || freed.not_before > ready)
    events_.push({std::max(ready, freed.not_before), state_[number], number, rank, EventKind::due});
  else
    wait(rank, number, one);
}

/// Puts an operation among those that wait for its processor, nearly always behind them.
void LoggpSimulation::wait(std::uint32_t rank, std::uint32_t number, const Operation& one) {
  Waiting& queue = waiting_of(rank, one);
  std::uint32_t& first = queue.first[list_of(one)];
  std::uint32_t& last = queue.last[list_of(one)];
  if (first == none || state_[last] < state_[number]) {
    links_[number] = none;
    (first == none ? first : links_[last]) = number;
    last = number;
  } else {
    std::uint32_t* place = &first;
    while (state_[*place] < state_[number])
      place = &links_[*place];
    links_[number] = *place;
    *place = number;
  }
  if (first == number)
    events_.push({ready_time(rank, one), state_[number], number, rank, EventKind::first});
}

void LoggpSimulation::handle_operation(const Event& event) {
  const Operation& one = operation(event.rank, event.operation);
  if (one.kind == Kind::receive) {
    post(event.rank, event.operation, one, event.time);
    return;
  }
  const bool is_waiting = event.kind == EventKind::first;
  std::uint32_t& first = waiting_of(event.rank, one).first[list_of(one)];
  if (is_waiting && first != event.operation)
    return; // another has come before it since
  if (const Ticks ready = ready_time(event.rank, one); ready > event.time) {
    if (is_waiting)
      events_.push({ready, event.order, event.operation, event.rank, EventKind::first});
    else
      wait(event.rank, event.operation, one);
    return;
  }
  const std::uint32_t next = is_waiting ? links_[event.operation] : none;
  if (is_waiting)
    first = next;
  execute(event.rank, event.operation, one, event.time);
  if (next != none && waiting_of(event.rank, one).first[list_of(one)] == next)
    events_.push({ready_time(event.rank, one), state_[next], next, event.rank, EventKind::first});
}

void LoggpSimulation::execute(std::uint32_t rank, std::uint32_t number, const Operation& one, Ticks now) {
  const std::size_t cpu = cpu_of(rank, one);
  const Cause begun{number, Reason::with_operation};
  const Cause done{number, Reason::after_operation};
  if (one.kind == Kind::compute) {
    const Ticks duration = program_.durations[one.cost];
    recorder_.note_begin(number, now, cpu, nullptr, false);
    cpus_[cpu] = now + duration;
    busy_[rank] += duration;
    release(rank, number, true, now, begun);
    finish(rank, number, now + duration, done);
    admit(rank);
    return;
  }
  const MessageCost& cost = program_.costs[one.cost];
  const std::size_t nic = nic_of(rank, one);
  recorder_.note_begin(number, now, cpu, &nic, cpus_[cpu] < now);
  cpus_[cpu] = now + cost.send();
  busy_[rank] += cost.send();
  nics_[nic].out = now + cost.interface();
  release(rank, number, true, now, begun);
  state_[number] = next_order();
  ++messages_;
  events_.push({now + cost.delay(), state_[number], number, rank, EventKind::arrival});
  if (!cost.is_rendezvous)
    finish(rank, number, now + cost.send(), done);
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
  const bool is_rendezvous = program_.costs[send.cost].is_rendezvous;
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
  if (Ticks& cpu = cpus_[cpu_of(sent.rank, send)]; cpu < sent.time) {
    cpu = sent.time;
    recorder_.note_held_cpu(cpu_of(sent.rank, send), sent.cause);
  }
  if (Ticks& out = nics_[nic_of(sent.rank, send)].out; out < sent.time) {
    out = sent.time;
    recorder_.note_held_nic(nic_of(sent.rank, send), sent.cause);
  }
}

void LoggpSimulation::handle_message(const Event& event) {
  const Operation& send = operation(event.rank, event.operation);
  const std::uint32_t target = program_.target_of(event.rank, send);
  Waiting& queue = waiting_of(target, send);
  const bool is_waiting = event.kind == EventKind::taken;
  if (is_waiting && queue.message != event.operation)
    return; // another has come before it since
  if (const Ticks ready = taking_time(target, send); ready > event.time) {
    if (!is_waiting && queue.message != none) {
      const bool is_first = event.order < state_[queue.message];
      const std::uint32_t later = is_first ? queue.message : event.operation;
      heaps_.add(queue.heap, state_[later], later);
      if (!is_first)
        return;
    }
    queue.message = event.operation;
    events_.push({ready, event.order, event.operation, event.rank, EventKind::taken});
    return;
  }
  std::uint32_t next = none;
  if (is_waiting) {
    next = queue.heap == WaitingMessages::no_heap ? none : heaps_.take(queue.heap);
    queue.message = next;
  }
  take_in(event, send, target);
  if (next == none)
    return;
  const std::uint32_t sender = program_.owner(next);
  events_.push({taking_time(target, operation(sender, next)), state_[next], next, sender, EventKind::taken});
}

void LoggpSimulation::take_in(const Event& event, const Operation& send, std::uint32_t target) {
  const MessageCost& cost = program_.costs[send.cost];
  const std::size_t cpu = cpu_of(target, send);
  const std::size_t nic = nic_of(target, send);
  recorder_.note_message(event.operation, event.time, recorder_.begin(event.operation) + cost.delay(), cpu,
                         nic, cpus_[cpu] < event.time);
  cpus_[cpu] = event.time + cost.receive();
  busy_[target] += cost.receive();
  nics_[nic].in = event.time + cost.interface();
  const std::uint32_t receive = matching_.arrive(event.operation, send, event.rank, target);
  if (receive != none)
    meet({event.operation, event.rank, event.time, {event.operation, Reason::with_message}},
         {receive, target, event.time + cost.receive(), {event.operation, Reason::after_message}}, false);
}

Result LoggpSimulation::outcome() const {
  Result result{.busy = busy_,
                .operations = program_.operation_count,
                .messages = messages_,
                .events = finished_ + messages_};
  result.ends.reserve(program_.size());
  for (std::size_t rank = 0; rank < program_.size(); ++rank)
    result.ends.push_back(
        *std::max_element(cpus_.begin() + static_cast<std::ptrdiff_t>(rank * program_.cpus),
                          cpus_.begin() + static_cast<std::ptrdiff_t>((rank + 1) * program_.cpus)));
  const auto last = std::ranges::max_element(result.ends);
  result.last_rank = static_cast<std::uint32_t>(last - result.ends.begin());
  result.finish = *last;
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
