// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/network.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <bit>
#include <fmt/format.h>
#include <utility>

namespace thalweg::simulate::packet {

namespace {

constexpr std::uint64_t events_between_progress = std::uint64_t{1} << 18;

const RouterOptions& checked(const RouterOptions& options, const GroupTables* groups) {
  check(options);
  if (options.combine_units > 0 && groups == nullptr)
    throw Error("combine units without groups", "give group tables, or leave the units out");
  return options;
}

} // namespace

Network::Network(const Fabric& fabric, const Routing& routing, const RouterOptions& options,
                 const GroupTables* groups, Source& source)
    : routing_(routing), options_(checked(options, groups)), groups_(groups), source_(source),
      random_(options.seed), channels_(fabric, options.combine_units),
      outputs_(channels_, options, routing.virtual_channels(), packets_, agenda_),
      input_queues_(options.discipline == Discipline::input_queued ? channels_.size() : 0,
                    routing.virtual_channels()),
      units_(channels_, options, groups), injection_(fabric.nodes(), options, source, packets_, agenda_) {}

bool Network::run_until(Ticks time) {
  agenda_.add(time, What::stop, 0);
  for (;;) {
    const Event event = agenda_.take();
    if (event.what == What::stop)
      return !agenda_.is_empty();
    handle(event);
  }
}

void Network::run() {
  while (!agenda_.is_empty())
    step();
}

void Network::handle(const Event& event) {
  switch (event.what) {
  case What::arrive:
    arrive(event.index);
    break;
  case What::deliver:
    source_.deliver(packets_[event.index], channels_[packets_[event.index].channel].to, agenda_.now());
    packets_.give_back(event.index);
    break;
  case What::wake:
    if (outputs_.is_woken(event.index))
      try_send(event.index);
    break;
  case What::inject:
    inject(event.index);
    break;
  case What::whole:
    enqueue(event.index, packets_[event.index].next);
    break;
  case What::promote:
    if (const std::uint32_t index = input_queues_.leave(event.index, packets_); index != none)
      route(index);
    break;
  case What::stop:
    break;
  }
  if (progress && events() % events_between_progress == 0)
    progress();
}

void Network::inject(std::uint32_t node) {
  const std::uint32_t channel = channels_.fabric().first_channel(node);
  if (!channels_[channel].is_free) {
    if (outputs_.waiting(channel) > 0)
      return;
    if (const std::uint32_t index = injection_.next(node); index != none)
      enqueue(index, channel);
    return;
  }
  // Whatever the node has is in its first switch at once.
  for (;;) {
    Packet packet;
    if (!injection_.ask(node, packet))
      return;
    THALWEG_ASSERT(normal, packet.came >= agenda_.now());
    packet.channel = channel;
    agenda_.add(packet.came + options_.switch_delay, What::arrive, packets_.take(packet));
  }
}

void Network::arrive(std::uint32_t index) {
  Packet& packet = packets_[index];
  const Channel& channel = channels_[packet.channel];
  THALWEG_ASSERT(normal, !channel.is_to_node);
  packet.input = outputs_.queue(channel.input, packet.virtual_channel);
  packet.came = agenda_.now();
  if (input_queues_.has_any() && !channel.is_free) {
    const std::uint32_t queue = input_queues_.number(packet.channel, packet.virtual_channel);
    if (!input_queues_.enter(queue, index, packets_))
      return;
  }
  route(index);
}

void Network::route(std::uint32_t index) {
  Packet& packet = packets_[index];
  const Channel& feeder = channels_[packet.channel];
  if (packet.kind == Kind::multicast) {
    multicast(index, feeder);
    return;
  }
  if (packet.kind == Kind::reduction) {
    place(index, units_.output(packet, feeder.to, feeder.input), true);
    return;
  }
  const Hop hop =
      routing_.next(packet, feeder.to, {outputs_.waiting(), channels_.free_at(), agenda_.now(), random_});
  THALWEG_ASSERT(normal, channels_[hop.channel].from == feeder.to);
  THALWEG_ASSERT(normal, hop.virtual_channel < routing_.virtual_channels());
  packet.next_channel = hop.virtual_channel;
  place(index, hop.channel, true);
}

void Network::multicast(std::uint32_t index, const Channel& feeder) {
  const Packet original = packets_[index];
  const std::uint64_t outputs =
      groups_->ports(feeder.to, original.group) & ~(std::uint64_t{1} << feeder.input);
  const std::uint32_t copies = multicasts_.begin(outputs);
  const std::uint32_t first = channels_.fabric().first_channel(feeder.to);
  for (std::uint64_t rest = outputs; rest != 0; rest &= rest - 1) {
    const bool is_first = rest == outputs;
    const std::uint32_t copy = is_first ? index : packets_.take(original);
    packets_[copy].copies = copies;
    place(copy, first + static_cast<std::uint32_t>(std::countr_zero(rest)), is_first);
  }
}

// Tells the sender which crosspoint the packet is at, once for all copies that it is no longer in flight.
void Network::place(std::uint32_t index, std::uint32_t channel, bool is_first) {
  const Channel& output = channels_[channel];
  Packet& packet = packets_[index];
  const Channel& feeder = channels_[packet.channel];
  if (!feeder.is_free)
    outputs_.note_arrival(packet, output.output, is_first);
  if (output.is_free) {
    put_out(index, channel);
  } else if (!output.is_unit() && output.capacity <= feeder.capacity) {
    enqueue(index, channel);
  } else {
    packet.next = channel;
    agenda_.add(agenda_.now() + feeder.duration(packet), What::whole, index);
  }
}

void Network::enqueue(std::uint32_t index, std::uint32_t channel) {
  if (outputs_.pass(channel, packets_[index]))
    send(index, channel);
  else if (outputs_.add(channel, index))
    try_send(channel);
}

void Network::try_send(std::uint32_t channel) {
  const std::uint32_t index = outputs_.next(channel);
  if (index == none)
    return;
  source_.waited(packets_[index], channel, agenda_.now() - packets_[index].came);
  send(index, channel);
  outputs_.go_on(channel);
}

void Network::send(std::uint32_t index, std::uint32_t channel) {
  const Channel& output = channels_[channel];
  if (output.is_unit()) {
    combine(index, channel);
    return;
  }
  Packet& packet = packets_[index];
  const Ticks now = agenda_.now();
  const Ticks time = output.duration(packet);
  const Ticks end = now + time;
  channels_.occupy(channel, now, time, packet.bytes);
  if (!output.is_of_node) {
    ++hops_;
    release(packet, output, end);
  }
  packet.channel = channel;
  packet.virtual_channel = packet.next_channel;
  if (output.is_to_node) {
    source_.will_come(packet, now + options_.channel_delay);
    agenda_.add(end + options_.channel_delay, What::deliver, index);
  } else {
    outputs_.use_credit(channel, packet.virtual_channel);
    agenda_.add(now + options_.channel_delay + options_.switch_delay, What::arrive, index);
  }
  if (output.is_of_node)
    inject(output.from);
}

// In a combine unit: what it makes of the last contribution comes back into the switch.
void Network::combine(std::uint32_t index, std::uint32_t channel) {
  Packet& packet = packets_[index];
  const Ticks duration = units_.duration(packet.bytes);
  const Ticks end = agenda_.now() + duration;
  channels_.occupy(channel, agenda_.now(), duration, 0);
  release(packet, channels_[channel], end);
  if (!units_.add(channel, packet)) {
    packets_.give_back(index);
    return;
  }
  packet.channel = channel;
  packet.virtual_channel = 0;
  outputs_.use_credit(channel, 0);
  agenda_.add(end + options_.switch_delay, What::arrive, index);
}

// Into the memory of the node beside the switch.
void Network::put_out(std::uint32_t index, std::uint32_t channel) {
  Packet& packet = packets_[index];
  const Ticks end = agenda_.now() + channels_[packet.channel].duration(packet);
  ++hops_;
  release(packet, channels_[channel], end);
  packet.channel = channel;
  source_.will_come(packet, agenda_.now());
  agenda_.add(end, What::deliver, index);
}

// Gives the room of a packet back that has left a switch by that time.
void Network::release(Packet& packet, const Channel& output, Ticks time) {
  const Channel& feeder = channels_[packet.channel];
  THALWEG_ASSERT(normal, feeder.to == output.from);
  if (feeder.is_free) {
    source_.left(packet);
    agenda_.add(agenda_.now(), What::inject, feeder.from);
    return;
  }
  std::uint64_t copies = 0;
  if (packet.copies != none) {
    copies = multicasts_.leave(std::exchange(packet.copies, none));
    if (copies == 0)
      return;
  }
  if (input_queues_.has_any())
    agenda_.add(time, What::promote, input_queues_.number(packet.channel, packet.virtual_channel));
  outputs_.note_departure(packet, output.output, copies, time);
}

void Network::require_empty() const {
  if (inside() == 0 && units_.waiting() == 0) {
    THALWEG_ASSERT(light, multicasts_.under_way() == 0);
    return;
  }
  std::string waiting = outputs_.list();
  if (units_.waiting() > 0)
    waiting += fmt::format("\n  {} reductions wait for contributions", units_.waiting());
  throw Error(fmt::format("the network stands still with {} packets in it:{}", inside(), waiting),
              "give the routing enough virtual channels, and let every member of a group contribute");
}

} // namespace thalweg::simulate::packet
