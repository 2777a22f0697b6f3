// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/simulation.hpp"

#include "base/assertion.hpp"
#include "base/random.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace thalweg::simulate {

namespace {

/// Goes from a moment back to the start.
class PathBuilder {
public:
  PathBuilder(const Program& program, const RankNetwork* network, const Trace& trace, Ticks time)
      : program_(program), costs_(program, network), trace_(trace), time_(time) {}

  std::vector<Segment> from(Cause cause) {
    while (cause.reason != Reason::start)
      cause = back(cause);
    THALWEG_ASSERT(light, time_ == 0);
    std::ranges::reverse(path_);
    return std::move(path_);
  }

private:
  // Takes what lies between the cause's moment and the present one, and says why that moment was.
  Cause back(Cause cause) {
    const std::uint32_t owner = program_.owner(cause.operation);
    const Operation& one = program_.operations_of(owner)[cause.operation - program_.ranks[owner].begin];
    const Moment& operation = trace_.operations[cause.operation];
    const Moment& message = trace_.messages[cause.operation];
    const Delay operation_delay = delay(trace_.delays_of_operations, cause.operation);
    const Delay message_delay = delay(trace_.delays_of_messages, cause.operation);
    switch (cause.reason) {
    case Reason::start:
      break;
    case Reason::after_operation:
      take(owner, CostKind::noise, operation_delay.noise);
      if (one.kind == Kind::compute) {
        take(owner, CostKind::compute, program_.durations[one.cost]);
      } else {
        take(owner, CostKind::bytes, costs_.of(owner, one).send_bytes);
        take(owner, CostKind::overhead, costs_.of(owner, one).send_overhead);
      }
      take(owner, CostKind::core, operation_delay.core);
      return operation.cause;
    case Reason::after_message: {
      const std::uint32_t target = program_.target_of(owner, one);
      take(target, CostKind::noise, message_delay.noise);
      take(target, CostKind::bytes, costs_.of(owner, one).receive_bytes);
      take(target, CostKind::overhead, costs_.of(owner, one).receive_overhead);
      take(target, CostKind::core, message_delay.core);
      return message.cause;
    }
    case Reason::with_operation:
      take(owner, CostKind::core, operation_delay.core);
      return operation.cause;
    case Reason::with_message:
      take(program_.target_of(owner, one), CostKind::core, message_delay.core);
      return message.cause;
    case Reason::gap_of_send:
      take_gap(owner, costs_.of(owner, one).gap_bytes, costs_.of(owner, one).gap);
      take(owner, CostKind::core, operation_delay.core);
      return operation.cause;
    case Reason::gap_of_message:
      take_gap(program_.target_of(owner, one), costs_.of(owner, one).gap_bytes_in, costs_.of(owner, one).gap);
      take(program_.target_of(owner, one), CostKind::core, message_delay.core);
      return message.cause;
    case Reason::arrived:
      take_carriage(owner, cause.operation, costs_.of(owner, one));
      take(owner, CostKind::noise, operation_delay.noise);
      take(owner, CostKind::overhead, costs_.of(owner, one).send_overhead);
      take(owner, CostKind::core, operation_delay.core);
      return operation.cause;
    }
    return {};
  }

  static Delay delay(const std::vector<Delay>& of, std::uint32_t operation) {
    return of.empty() ? Delay{} : of[operation];
  }

  void take_gap(std::uint32_t rank, Ticks gap_bytes, Ticks gap) {
    take(rank, CostKind::bytes, gap_bytes);
    take(rank, CostKind::gap, gap);
  }

  void take_carriage(std::uint32_t owner, std::uint32_t send, const MessageCost& cost) {
    const Carriage carriage = trace_.carriages.empty() ? Carriage{} : trace_.carriages[send];
    take(owner, CostKind::latency, cost.latency + carriage.latency);
    if (carriage.last_span == model::FlowNetwork::none)
      take(owner, CostKind::bytes, cost.transfer);
    for (std::uint32_t i = carriage.last_span; i != model::FlowNetwork::none; i = trace_.spans[i].previous) {
      const model::FlowSpan& span = trace_.spans[i];
      const Ticks whole = span.end - span.begin;
      const Ticks alone = std::min<Ticks>(std::llround(span.done), whole);
      take(owner, CostKind::sharing, whole - alone, span.link);
      take(owner, CostKind::bytes, alone, span.link);
    }
  }

  void take(std::uint32_t rank, CostKind kind, Ticks duration, topology::Link link = -1) {
    THALWEG_ASSERT(normal, duration >= 0 && duration <= time_);
    if (duration == 0)
      return;
    path_.push_back({rank, kind, time_ - duration, time_, link});
    time_ -= duration;
  }

  const Program& program_;
  CostTable costs_;
  const Trace& trace_;
  Ticks time_;
  std::vector<Segment> path_;
};

} // namespace

std::string_view name(CostKind kind) {
  constexpr std::array<std::string_view, cost_kinds> names{"overhead", "latency", "bytes", "gap",
                                                           "compute",  "sharing", "noise", "core"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<Segment> critical_path(const Program& program, const Trace& trace, const Result& result,
                                   const RankNetwork* network) {
  const auto* const last = trace.last.data() + std::size_t{result.last_rank} * program.cpus;
  for (std::uint32_t cpu = 0; cpu < program.cpus; ++cpu)
    if (trace.ends[std::size_t{result.last_rank} * program.cpus + cpu] == result.finish)
      return PathBuilder(program, network, trace, result.finish).from(last[cpu]);
  return {};
}

std::array<Ticks, cost_kinds> by_kind(const std::vector<Segment>& path) {
  std::array<Ticks, cost_kinds> sums{};
  for (const Segment& segment : path)
    sums[static_cast<std::size_t>(segment.kind)] += segment.end - segment.begin;
  return sums;
}

std::vector<std::pair<topology::Link, Ticks>> by_link(const std::vector<Segment>& path) {
  std::map<topology::Link, Ticks> sums;
  for (const Segment& segment : path)
    if (segment.link >= 0)
      sums[segment.link] += segment.end - segment.begin;
  std::vector<std::pair<topology::Link, Ticks>> found(sums.begin(), sums.end());
  std::ranges::stable_sort(found, std::greater(), &std::pair<topology::Link, Ticks>::second);
  return found;
}

std::vector<Segment> timeline(const Program& program, const Trace& trace, const RankNetwork* network) {
  const CostTable costs(program, network);
  std::vector<Segment> segments;
  const auto add = [&](std::uint32_t rank, CostKind kind, Ticks begin, Ticks duration) {
    if (duration > 0)
      segments.push_back({rank, kind, begin, begin + duration});
  };
  for (std::uint32_t rank = 0; rank < program.size(); ++rank) {
    const auto operations = program.operations_of(rank);
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      const Operation& one = operations[i];
      const std::size_t number = program.ranks[rank].begin + std::size_t{i};
      const Delay delay = trace.delays_of_operations.empty() ? Delay{} : trace.delays_of_operations[number];
      const Ticks begin = trace.operations[number].begin + delay.core;
      if (one.kind != Kind::receive)
        add(rank, CostKind::core, begin - delay.core, delay.core);
      if (one.kind == Kind::compute) {
        add(rank, CostKind::compute, begin, program.durations[one.cost]);
        add(rank, CostKind::noise, begin + program.durations[one.cost], delay.noise);
      }
      if (one.kind != Kind::send)
        continue;
      const MessageCost& cost = costs.of(rank, one);
      add(rank, CostKind::noise, begin + cost.send(), delay.noise);
      add(rank, CostKind::overhead, begin, cost.send_overhead);
      add(rank, CostKind::bytes, begin + cost.send_overhead, cost.send_bytes);
      const std::uint32_t target = program.target_of(rank, one);
      const Delay then = trace.delays_of_messages.empty() ? Delay{} : trace.delays_of_messages[number];
      const Ticks taken = trace.messages[number].begin + then.core;
      add(target, CostKind::core, taken - then.core, then.core);
      add(target, CostKind::overhead, taken, cost.receive_overhead);
      add(target, CostKind::bytes, taken + cost.receive_overhead, cost.receive_bytes);
      add(target, CostKind::noise, taken + cost.receive(), then.noise);
    }
  }
  std::ranges::stable_sort(segments, {}, [](const Segment& one) { return std::pair(one.rank, one.begin); });
  return segments;
}

std::vector<Delivery> deliveries(const Program& program, const Trace& trace, const RankNetwork* network) {
  const CostTable costs(program, network);
  std::vector<Delivery> found;
  if (program.folded != 0)
    return found;
  const auto core = [](const std::vector<Delay>& delays, std::size_t number) {
    return delays.empty() ? Ticks{0} : delays[number].core;
  };
  for (std::uint32_t rank = 0; rank < program.size(); ++rank) {
    std::size_t number = program.ranks[rank].begin;
    for (const Operation& one : program.operations_of(rank)) {
      const std::size_t send = number++;
      if (one.kind != Kind::send)
        continue;
      const MessageCost& cost = costs.of(rank, one);
      if (cost.send() == 0 || cost.receive() == 0)
        continue;
      found.push_back(
          {.sender = rank,
           .receiver = program.target_of(rank, one),
           .tag = one.tag,
           .bytes = cost.bytes,
           .begin = trace.operations[send].begin + core(trace.delays_of_operations, send),
           .end = trace.messages[send].begin + core(trace.delays_of_messages, send) + cost.receive()});
    }
  }
  return found;
}

Simulation simulate(const Program& program, const SimulationOptions& options) {
  Trace trace;
  const bool is_explained = program.operation_count <= options.explained_max;
  Simulation simulation{simulate_loggp(program, {.ties = options.ties,
                                                 .trace = is_explained ? &trace : nullptr,
                                                 .network = options.network,
                                                 .noise = options.noise,
                                                 .cores = options.cores,
                                                 .progress = options.progress})};
  if (is_explained)
    simulation.result.path = critical_path(program, trace, simulation.result, options.network);
  if (is_explained && options.has_timeline) {
    simulation.timeline = timeline(program, trace, options.network);
    simulation.deliveries = deliveries(program, trace, options.network);
  }
  return simulation;
}

std::uint64_t fingerprint(const Result& result) {
  std::uint64_t hash = fnv_begin; // by words
  const auto add = [&](auto value) { hash = fnv_hash(hash, static_cast<std::uint64_t>(value)); };
  for (const std::vector<Ticks>* times : {&result.ends, &result.busy})
    for (const Ticks time : *times)
      add(time);
  add(result.events);
  add(result.messages);
  for (const Segment& segment : result.path) {
    add(segment.rank);
    add(segment.kind);
    add(segment.end);
    if (segment.link >= 0)
      add(segment.link);
  }
  if (result.packets > 0) {
    add(result.packets);
    add(result.packet_hops);
  }
  for (const model::LinkLoad& link : result.links) {
    add(link.link);
    add(std::llround(link.bytes));
    add(std::llround(link.busy));
  }
  return hash;
}

} // namespace thalweg::simulate
