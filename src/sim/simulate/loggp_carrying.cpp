// SPDX-License-Identifier: BSD-3-Clause

// How messages get from rank to rank.

#include "simulate/loggp_simulation.hpp"

namespace thalweg::simulate {

/// Says when a message has come, or goes onto the network, which its processor would have begun at that time
/// if it had not been away in between.
void LoggpSimulation::send_off(std::uint32_t rank, std::uint32_t number, const Operation& one, Ticks begun) {
  const MessageCost& cost = costs_.of(rank, one);
  const std::uint32_t order = states_[number].order;
  if (network_ == nullptr) {
    events_.push({begun + cost.delay(), order, number, rank, EventKind::arrival});
    return;
  }
  if ((carrier_ || packets_) && cost.transfer > 0 && costs_.is_carried(rank, one)) {
    events_.push({begun + cost.send_overhead, order, number, rank, EventKind::leaving});
    return;
  }
  const std::uint32_t target = program_.target_of(rank, one);
  const Ticks latency = packets_ ? packets_->latency(network_->nodes[rank], network_->nodes[target])
                                 : network_->latency(rank, target);
  recorder_.note_carriage(number, {.latency = latency});
  events_.push({begun + cost.delay() + latency, order, number, rank, EventKind::arrival});
}

void LoggpSimulation::handle_leaving(const Event& event) {
  const Operation& send = operation(event.rank, event.operation);
  if (packets_) {
    packets_->start(event.time, {event.operation, event.rank}, program_.target_of(event.rank, send),
                    costs_.of(event.rank, send));
    return;
  }
  carrier_->start(event.time, {event.operation, event.rank}, program_.target_of(event.rank, send),
                  costs_.of(event.rank, send));
  share_links_later(event.time);
}

void LoggpSimulation::handle_carried(const Event& event) {
  const std::uint32_t flow = event.rank;
  const Carrier::Message message = carrier_->message(flow);
  switch (carrier_->look(event.time, flow, event.operation)) {
  case Carrier::Answer::outdated:
    return;
  case Carrier::Answer::later: {
    Event later = event;
    later.time = carrier_->announced(flow);
    events_.push(later);
    return;
  }
  case Carrier::Answer::over:
    break;
  }
  const Operation& send = operation(message.rank, message.number);
  const std::uint32_t target = program_.target_of(message.rank, send);
  const Ticks latency = network_->latency(message.rank, target);
  recorder_.note_carriage(message.number, {latency, carrier_->flows().last_span(flow)});
  carrier_->next(event.time, flow, target);
  events_.push({event.time + costs_.of(message.rank, send).latency + latency, event.order, message.number,
                message.rank, EventKind::arrival});
  share_links_later(event.time);
}

/// Lets packets go on up to the next event, or until a message has come before it.
void LoggpSimulation::carry_packets() {
  for (;;) {
    const auto until = events_.empty() ? std::nullopt : std::optional(events_.next_time());
    const auto arrival = packets_->advance(until);
    if (!arrival)
      return;
    const Carrier::Message& message = arrival->message;
    const Operation& send = operation(message.rank, message.number);
    recorder_.note_carriage(message.number, {arrival->latency, arrival->span});
    events_.push({arrival->time + costs_.of(message.rank, send).latency, states_[message.number].order,
                  message.number, message.rank, EventKind::arrival});
  }
}

void LoggpSimulation::share_links_later(Ticks now) {
  if (!shares_later_)
    events_.push({now, last_of_all, 0, 0, EventKind::sharing});
  shares_later_ = true;
}

void LoggpSimulation::share_links(Ticks now) {
  shares_later_ = false;
  carrier_->share(now, [&](const Carrier::Message& message, std::uint32_t flow, Ticks time) {
    events_.push({time, states_[message.number].order, message.number, flow, EventKind::carried});
  });
}

} // namespace thalweg::simulate
