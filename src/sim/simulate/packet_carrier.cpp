// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet_carrier.hpp"

#include "base/error.hpp"
#include "simulate/packet/make_routing.hpp"

#include <algorithm>
#include <fmt/format.h>

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
  messages_.progress = std::move(progress);
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

} // namespace thalweg::simulate
