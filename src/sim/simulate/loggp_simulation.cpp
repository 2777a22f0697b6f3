// SPDX-License-Identifier: BSD-3-Clause

// A simulation on levels `loggp`, `flow` and `packet`, and what each event does in it (loggp.hpp has the
// rules). Each part has its own state: what happens next (LoggpEvents), which operations may begin
// (Requirements), when processors and interfaces are free and what waits for them (Stations), what delays
// them (Delays), messages on their way (Transfers), and messages that wait for their receives (Matching).

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "simulate/delays.hpp"
#include "simulate/matching.hpp"
#include "simulate/requirements.hpp"
#include "simulate/stations.hpp"
#include "simulate/transfers.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::simulate {

namespace {

class LoggpSimulation {
public:
  LoggpSimulation(const Program& program, const LoggpOptions& options);
  LoggpSimulation(const LoggpSimulation&) = delete;
  LoggpSimulation& operator=(const LoggpSimulation&) = delete;
  Result run();

private:
  /// One end of a message that has met its receive.
  struct End {
    std::uint32_t number;
    std::uint32_t rank;
    Ticks time; ///< from when on what requires it may begin
    Cause cause;
  };

  void handle(const LoggpEvent& event);
  void finish(std::uint32_t rank, std::uint32_t number, Ticks time, Cause cause);
  void admit(std::uint32_t rank);
  void enter(std::uint32_t rank, const Requirements::ReadyOperation& freed);
  void wait(std::uint32_t rank, std::uint32_t number, const Operation& one);
  void handle_operation(const LoggpEvent& event);
  Ticks work_of(std::uint32_t rank, const Operation& one) const;
  void compute(std::uint32_t rank, std::uint32_t number, const Operation& one, const Start& start);
  void send(std::uint32_t rank, std::uint32_t number, const Operation& one, const Start& start);
  void post(std::uint32_t rank, std::uint32_t number, const Operation& one, Ticks now);
  void handle_message(const LoggpEvent& event);
  void take_in(const LoggpEvent& event, const Operation& send, std::uint32_t target, const Start& start,
               bool has_waited);
  void meet(const End& sent, const End& received, bool begins);
  void hold(const End& sent, const Operation& send);
  Result outcome() const;
  void require_done() const;

  const Program& program_;
  const LoggpOptions& options_;
  CostTable costs_;
  std::vector<OperationState> states_;
  LoggpEvents events_;
  Requirements requirements_;
  Stations stations_;
  Delays delays_;
  Matching matching_;
  Recorder recorder_;
  Transfers transfers_;
  std::uint64_t finished_ = 0; // operations
  std::uint64_t messages_ = 0;
  std::uint64_t met_ = 0; // messages that met their receive
};

constexpr std::uint64_t events_between_progress = std::uint64_t{1} << 20;

LoggpSimulation::LoggpSimulation(const Program& program, const LoggpOptions& options)
    : program_(program), options_(options), costs_(program, options.network),
      states_(program.operation_count), requirements_(program, states_, options.ties),
      stations_(program, states_),
      delays_(options.cores, options.noise, program.size(), program.cpus, events_),
      matching_(program, states_),
      recorder_(program, options.trace, options.network != nullptr, delays_.has_any()),
      transfers_(program, options.network, costs_, states_, events_, recorder_, [this] {
        if (options_.progress)
          options_.progress(finished_ + messages_);
      }) {}

Result LoggpSimulation::run() {
  for (std::uint32_t rank = 0; rank < program_.size(); ++rank) {
    requirements_.begin(rank);
    admit(rank);
  }
  std::uint64_t handled = 0;
  for (;;) {
    transfers_.carry_packets();
    if (events_.is_empty())
      break;
    const LoggpEvent event = events_.take();
    if (++handled % events_between_progress == 0 && options_.progress)
      options_.progress(finished_ + messages_);
    handle(event);
  }
  transfers_.require_empty();
  require_done();
  THALWEG_ASSERT(light, finished_ == program_.operation_count && met_ == messages_);
  recorder_.end(stations_.ends());
  return outcome();
}

void LoggpSimulation::handle(const LoggpEvent& event) {
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
    transfers_.leave(event);
    break;
  case EventKind::carried:
    transfers_.look_at_flow(event);
    break;
  case EventKind::sharing:
    transfers_.share_links(event.time);
    break;
  case EventKind::core:
    delays_.look(event);
    break;
  }
}

void LoggpSimulation::finish(std::uint32_t rank, std::uint32_t number, Ticks time, Cause cause) {
  THALWEG_ASSERT(normal, finished_ < program_.operation_count);
  ++finished_;
  requirements_.release(rank, number, false, time, cause);
}

/// Lets the rank begin what has become free.
void LoggpSimulation::admit(std::uint32_t rank) {
  requirements_.admit(rank, [&](const Requirements::ReadyOperation& freed) { enter(rank, freed); });
}

void LoggpSimulation::enter(std::uint32_t rank, const Requirements::ReadyOperation& freed) {
  const std::uint32_t number = program_.ranks[rank].begin + freed.operation;
  const Operation& one = program_.operation(rank, number);
  const Ticks ready = stations_.ready_time(rank, one);
  states_[number].order = events_.next_order();
  if (freed.not_before > ready)
    recorder_.note_due(number, freed.not_before, freed.cause);
  if (one.kind == Kind::receive)
    recorder_.note_post(number, std::max(ready, freed.not_before), stations_.cpu(rank, one));
  if (one.kind == Kind::receive || freed.not_before > ready)
    events_.add({std::max(ready, freed.not_before), states_[number].order, number, rank, EventKind::due});
  else
    wait(rank, number, one);
}

/// Puts an operation among those that wait for its processor.
void LoggpSimulation::wait(std::uint32_t rank, std::uint32_t number, const Operation& one) {
  if (stations_.add(rank, number, one))
    events_.add({stations_.ready_time(rank, one), states_[number].order, number, rank, EventKind::first});
}

void LoggpSimulation::handle_operation(const LoggpEvent& event) {
  const std::uint32_t rank = event.rank;
  const Operation& one = program_.operation(rank, event.operation);
  if (one.kind == Kind::receive) {
    post(rank, event.operation, one, event.time);
    return;
  }
  const bool is_waiting = event.kind == EventKind::first;
  if (is_waiting && stations_.first(rank, one) != event.operation)
    return; // another has come before it since
  if (const Ticks ready = stations_.ready_time(rank, one); ready > event.time) {
    if (is_waiting)
      events_.add({ready, event.order, event.operation, rank, EventKind::first});
    else
      wait(rank, event.operation, one);
    return;
  }
  Start start{event.time, 0};
  if (delays_.are_cores_shared(rank) && work_of(rank, one) > 0) {
    const auto begun =
        delays_.begin(rank, stations_.cpu(rank, one), stations_.processor(rank, one).cpu, event);
    if (!begun)
      return;
    start = *begun;
  }
  THALWEG_ASSERT(normal, start.time >= 0 && start.time <= event.time);
  const std::uint32_t next = is_waiting ? stations_.take_first(rank, event.operation, one) : none;
  if (one.kind == Kind::compute)
    compute(rank, event.operation, one, start);
  else
    send(rank, event.operation, one, start);
  if (next != none && stations_.first(rank, one) == next)
    events_.add({stations_.ready_time(rank, one), states_[next].order, next, rank, EventKind::first});
}

Ticks LoggpSimulation::work_of(std::uint32_t rank, const Operation& one) const {
  return one.kind == Kind::compute ? program_.durations[one.cost] : costs_.of(rank, one).send();
}

void LoggpSimulation::compute(std::uint32_t rank, std::uint32_t number, const Operation& one,
                              const Start& start) {
  const std::size_t cpu = stations_.cpu(rank, one);
  const Ticks duration = program_.durations[one.cost];
  const Delay delay = delays_.of(rank, cpu, start, duration);
  const Ticks begin = start.time + delay.core;
  const Ticks end = begin + duration + delay.noise;
  recorder_.note_begin(number, start.time, cpu, nullptr, false);
  recorder_.note_operation_delay(number, delay);
  stations_.processor(rank, one).work(end, duration);
  requirements_.release(rank, number, true, begin, {number, Reason::with_operation});
  finish(rank, number, end, {number, Reason::after_operation});
  admit(rank);
}

void LoggpSimulation::send(std::uint32_t rank, std::uint32_t number, const Operation& one,
                           const Start& start) {
  const Ticks now = start.time;
  const std::size_t cpu = stations_.cpu(rank, one);
  const std::size_t nic = stations_.nic(rank, one);
  Station& processor = stations_.processor(rank, one);
  const MessageCost& cost = costs_.of(rank, one);
  const Delay delay = delays_.of(rank, cpu, start, cost.send());
  const Ticks away = delay.core + delay.noise;
  recorder_.note_begin(number, now, cpu, &nic, processor.cpu < now);
  recorder_.note_operation_delay(number, delay);
  processor.work(now + cost.send() + away, cost.send());
  stations_.interface_of(rank, one).out = now + delay.core + cost.interface_out();
  requirements_.release(rank, number, true, now + delay.core, {number, Reason::with_operation});
  states_[number].order = events_.next_order();
  ++messages_;
  transfers_.send(rank, number, one, now + away);
  if (!cost.is_rendezvous)
    finish(rank, number, now + cost.send() + away, {number, Reason::after_operation});
  admit(rank);
}

void LoggpSimulation::post(std::uint32_t rank, std::uint32_t number, const Operation& one, Ticks now) {
  const Cause cause{number, Reason::with_operation};
  const std::uint32_t message = matching_.post(rank, number, one);
  if (message != none) {
    meet({message, program_.owner(message), now, cause}, {number, rank, now, cause}, true);
    return;
  }
  requirements_.release(rank, number, true, now, cause);
  admit(rank);
}

/// A message has met its receive, which begins now or has begun before. If the message is long, its sender
/// goes on too; the lower rank first.
void LoggpSimulation::meet(const End& sent, const End& received, bool begins) {
  THALWEG_ASSERT(normal, met_ < messages_);
  ++met_;
  const Operation& send = program_.operation(sent.rank, sent.number);
  const bool is_rendezvous = program_.costs[send.cost].is_rendezvous; // wherever it goes
  if (is_rendezvous)
    hold(sent, send);
  const auto finish_send = [&] { finish(sent.rank, sent.number, sent.time, sent.cause); };
  if (is_rendezvous && sent.rank < received.rank) {
    finish_send();
    admit(sent.rank);
  }
  if (begins)
    requirements_.release(received.rank, received.number, true, received.time, received.cause);
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
  if (Ticks& cpu = stations_.processor(sent.rank, send).cpu; cpu < sent.time) {
    cpu = sent.time;
    recorder_.note_held_cpu(stations_.cpu(sent.rank, send), sent.cause);
  }
  if (Ticks& out = stations_.interface_of(sent.rank, send).out; out < sent.time) {
    out = sent.time;
    recorder_.note_held_nic(stations_.nic(sent.rank, send), sent.cause);
  }
}

void LoggpSimulation::handle_message(const LoggpEvent& event) {
  const Operation& send = program_.operation(event.rank, event.operation);
  const std::uint32_t target = program_.target_of(event.rank, send);
  const bool is_waiting = event.kind == EventKind::taken;
  if (is_waiting && stations_.first_message(target, send) != event.operation)
    return; // another has come before it since
  if (const Ticks ready = stations_.taking_time(target, send); ready > event.time) {
    if (is_waiting || stations_.add_message(target, event.operation, send))
      events_.add({ready, event.order, event.operation, event.rank, EventKind::taken});
    return;
  }
  Start start{event.time, 0};
  bool has_waited = is_waiting;
  if (delays_.are_cores_shared(target) && costs_.of(event.rank, send).receive() > 0) {
    const Ticks free = stations_.processor(target, send).cpu;
    const auto begun = delays_.begin(target, stations_.cpu(target, send), free, event);
    if (!begun)
      return;
    start = *begun;
    has_waited = is_waiting || free == start.time;
  }
  const std::uint32_t next = is_waiting ? stations_.take_first_message(target, send) : none;
  take_in(event, send, target, start, has_waited);
  if (next == none)
    return;
  const std::uint32_t sender = program_.owner(next);
  events_.add({stations_.taking_time(target, program_.operation(sender, next)), states_[next].order, next,
               sender, EventKind::taken});
}

void LoggpSimulation::take_in(const LoggpEvent& event, const Operation& send, std::uint32_t target,
                              const Start& start, bool has_waited) {
  const Ticks now = start.time;
  const MessageCost& cost = costs_.of(event.rank, send);
  Station& processor = stations_.processor(target, send);
  const std::size_t cpu = stations_.cpu(target, send);
  recorder_.note_message(event.operation, now, has_waited, cpu, stations_.nic(target, send),
                         processor.cpu < now);
  const Delay delay = delays_.of(target, cpu, start, cost.receive());
  const Ticks away = delay.core + delay.noise;
  recorder_.note_message_delay(event.operation, delay);
  processor.work(now + cost.receive() + away, cost.receive());
  stations_.interface_of(target, send).in = now + delay.core + cost.interface_in();
  const std::uint32_t receive = matching_.arrive(event.operation, send, event.rank, target);
  if (receive != none)
    meet({event.operation, event.rank, now + delay.core, {event.operation, Reason::with_message}},
         {receive, target, now + cost.receive() + away, {event.operation, Reason::after_message}}, false);
}

Result LoggpSimulation::outcome() const {
  Result result{
      .operations = program_.operation_count, .messages = messages_, .events = finished_ + messages_};
  stations_.fill(result);
  const auto last = std::ranges::max_element(result.ends);
  result.last_rank = static_cast<std::uint32_t>(last - result.ends.begin());
  result.finish = *last;
  transfers_.fill(result);
  if (program_.folded != 0) {
    result.ends.assign(program_.folded, result.finish);
    result.busy.assign(program_.folded, result.busy[0]);
  }
  return result;
}

void LoggpSimulation::require_done() const {
  if (finished_ == program_.operation_count && met_ == messages_)
    return;
  throw Error(fmt::format("the program cannot go on: {} of its {} operations are not over:{}",
                          program_.operation_count - finished_, program_.operation_count,
                          matching_.list_left()),
              "let every message have one receive with its source and tag");
}

} // namespace

Result simulate_loggp(const Program& program, const LoggpOptions& options) {
  return LoggpSimulation(program, options).run();
}

} // namespace thalweg::simulate
