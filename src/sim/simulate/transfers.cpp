// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/transfers.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "simulate/packet/routing.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace thalweg::simulate {

namespace {

constexpr std::uint64_t picoseconds = 1000; // of a nanosecond
constexpr Ticks time_max = 18'000'000'000'000'000;

/// Picoseconds of a time.
std::uint64_t fine(Ticks time) {
  if (time > time_max)
    throw Error("packets later than 200 days after the start", "simulate less, or choose level flow");
  return static_cast<std::uint64_t>(time) * picoseconds;
}

Ticks coarse(std::uint64_t time) {
  return static_cast<Ticks>((time + picoseconds - 1) / picoseconds);
}

packet::LiveOptions options_of(const RankNetwork& network) {
  packet::LiveOptions options = network.packets->options;
  options.routers.channel_delay = fine(network.hop_latency);
  return options;
}

} // namespace

PacketCarrier::PacketCarrier(const RankNetwork& network, bool has_history, std::function<void()> progress)
    : network_(network), has_history_(has_history), fabric_(network.interconnect, packet::Ports::free),
      routing_(network.packets->routing.empty() ? packet::own_routing(fabric_)
                                                : packet::make_routing(network.packets->routing, fabric_)),
      messages_(fabric_, *routing_, options_of(network)) {
  messages_.on_progress(std::move(progress));
}

void PacketCarrier::start(Ticks now, const Carrier::Message& message, std::uint32_t target,
                          const MessageCost& cost) {
  messages_.start(fine(now), {.number = std::uint64_t{message.rank} << 32 | message.number,
                              .from = static_cast<std::uint32_t>(network_.nodes[message.rank]),
                              .to = static_cast<std::uint32_t>(network_.nodes[target]),
                              .queue = pair_of(message.rank, target),
                              .bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(cost.bytes, 1)),
                              .alone = fine(cost.transfer)});
}

std::optional<PacketCarrier::Arrival> PacketCarrier::advance(std::optional<Ticks> until) {
  const auto found = messages_.advance(until ? fine(*until) : packet::never);
  if (!found)
    return std::nullopt;
  const auto rank = static_cast<std::uint32_t>(found->number >> 32);
  const Carrier::Message message{static_cast<std::uint32_t>(found->number), rank};
  const Ticks end = coarse(found->time);
  THALWEG_ASSERT(normal, found->time >= found->began && (!until || end <= *until));
  Arrival arrival{.message = message, .time = end};
  if (has_history_) {
    const Ticks begin = static_cast<Ticks>(found->began / picoseconds);
    arrival.latency = std::min(latency(found->from, found->to), end - begin);
    arrival.span = note(*found, begin, end - arrival.latency);
  }
  return arrival;
}

// Of a message's time on its way, one span: what it would have taken alone, and what it waited, most of it
// for one link.
std::uint32_t PacketCarrier::note(const packet::LiveMessages::Arrival& found, Ticks begin, Ticks end) {
  const auto alone = static_cast<double>(found.alone) / static_cast<double>(picoseconds);
  const topology::Link link = found.channel == packet::none ? -1 : fabric_.wires()[found.channel].link;
  spans_.push_back({.link = link, .begin = begin, .end = end, .done = alone});
  return static_cast<std::uint32_t>(spans_.size() - 1);
}

Ticks PacketCarrier::latency(topology::Place from, topology::Place to) const {
  if (from == to)
    return 0;
  return coarse(messages_.latency(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)));
}

std::vector<model::LinkLoad> PacketCarrier::loads() const {
  std::vector<model::LinkLoad> loads;
  const packet::Channels& channels = messages_.network().channels();
  for (std::uint32_t channel = 0; channel < fabric_.wires().size(); ++channel)
    if (const auto bytes = channels.bytes(channel); bytes > 0)
      loads.push_back({fabric_.wires()[channel].link, static_cast<double>(bytes),
                       static_cast<double>(channels.busy(channel)) / static_cast<double>(picoseconds)});
  return loads;
}

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
