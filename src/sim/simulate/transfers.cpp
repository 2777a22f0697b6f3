// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/transfers.hpp"

#include "base/assertion.hpp"

#include <utility>

namespace thalweg::simulate {

Transfers::Transfers(const Program& program, const RankNetwork* network, const CostTable& costs,
                     std::span<const OperationState> states, LoggpEvents& events, Recorder& recorder,
                     std::function<void()> progress)
    : program_(program), network_(network), costs_(costs), states_(states), events_(events),
      recorder_(recorder) {
  if (network == nullptr)
    return;
  if (network->packets)
    packets_.emplace(*network, recorder.is_on(), std::move(progress));
  else if (network->shares_links)
    flows_.emplace(*network, recorder.is_on());
}

void Transfers::send(std::uint32_t rank, std::uint32_t number, const Operation& one, Ticks begun) {
  const MessageCost& cost = costs_.of(rank, one);
  if (network_ == nullptr) {
    arrive(rank, number, begun + cost.delay());
    return;
  }
  if ((flows_ || packets_) && cost.transfer > 0 && costs_.is_carried(rank, one)) {
    events_.add({begun + cost.send_overhead, states_[number].order, number, rank, EventKind::leaving});
    return;
  }
  const std::uint32_t target = program_.target_of(rank, one);
  const Ticks latency = packets_ ? packets_->latency(network_->nodes[rank], network_->nodes[target])
                                 : network_->latency(rank, target);
  recorder_.note_carriage(number, {.latency = latency});
  arrive(rank, number, begun + cost.delay() + latency);
}

void Transfers::leave(const LoggpEvent& event) {
  const Operation& send = program_.operation(event.rank, event.operation);
  const std::uint32_t target = program_.target_of(event.rank, send);
  const MessageCost& cost = costs_.of(event.rank, send);
  THALWEG_ASSERT(normal, (flows_ || packets_) && cost.transfer > 0);
  if (packets_) {
    packets_->start(event.time, {event.operation, event.rank}, target, cost);
    return;
  }
  flows_->start(event.time, {event.operation, event.rank}, target, cost);
  share_links_later(event.time);
}

void Transfers::look_at_flow(const LoggpEvent& event) {
  const std::uint32_t flow = event.rank;
  const Carrier::Message message = flows_->message(flow);
  switch (flows_->look(event.time, flow, event.operation)) {
  case Carrier::Answer::outdated:
    return;
  case Carrier::Answer::later: {
    LoggpEvent later = event;
    later.time = flows_->announced(flow);
    events_.add(later);
    return;
  }
  case Carrier::Answer::over:
    break;
  }
  const Operation& send = program_.operation(message.rank, message.number);
  const std::uint32_t target = program_.target_of(message.rank, send);
  const Ticks latency = network_->latency(message.rank, target);
  recorder_.note_carriage(message.number, {latency, flows_->flows().last_span(flow)});
  flows_->next(event.time, flow, target);
  arrive(message.rank, message.number, event.time + costs_.of(message.rank, send).latency + latency);
  share_links_later(event.time);
}

void Transfers::advance_packets() {
  for (;;) {
    const auto arrival = packets_->advance(events_.next_time());
    if (!arrival)
      return;
    const Carrier::Message& message = arrival->message;
    const Operation& send = program_.operation(message.rank, message.number);
    recorder_.note_carriage(message.number, {arrival->latency, arrival->span});
    arrive(message.rank, message.number, arrival->time + costs_.of(message.rank, send).latency);
  }
}

void Transfers::share_links_later(Ticks now) {
  if (!shares_later_)
    events_.add({now, LoggpEvents::last_of_all, 0, 0, EventKind::sharing});
  shares_later_ = true;
}

void Transfers::share_links(Ticks now) {
  shares_later_ = false;
  flows_->share(now, [&](const Carrier::Message& message, std::uint32_t flow, Ticks time) {
    events_.add({time, states_[message.number].order, message.number, flow, EventKind::carried});
  });
}

void Transfers::fill(Result& result) const {
  if (flows_) {
    recorder_.keep_spans(flows_->flows().spans());
    result.links = flows_->flows().loads();
  }
  if (packets_) {
    recorder_.keep_spans(packets_->spans());
    result.links = packets_->loads();
    result.packets = packets_->packets();
    result.packet_hops = packets_->hops();
  }
}

} // namespace thalweg::simulate
