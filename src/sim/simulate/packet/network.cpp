// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/network.hpp"

#include "base/error.hpp"

#include <bit>
#include <fmt/format.h>
#include <limits>

namespace thalweg::simulate::packet {

Network::Network(const Fabric& fabric, const Routing& routing, const RouterOptions& options,
                 const GroupTables* groups, Source& source)
    : fabric_(fabric), routing_(routing), options_(options), groups_(groups), source_(source),
      random_(options.seed), virtual_channels_(routing.virtual_channels()), credits_(options.buffers),
      held_(fabric.nodes(), none) {
  check(options);
  if (options.combine_units > 0 && groups == nullptr)
    throw Error("combine units without groups", "give group tables, or leave the units out");
  full_packet_ = transfer_ticks(options, options.packet_bytes);
  add_channels();
  add_units();
  add_queues();
}

void Network::add_channels() {
  std::uint32_t inputs = 0;
  for (std::uint32_t vertex = 0; vertex < fabric_.vertices(); ++vertex) {
    first_input_.push_back(inputs);
    inputs += fabric_.inputs(vertex) + units_at(vertex);
  }
  feeders_.assign(inputs, none);
  for (const Wire& wire : fabric_.wires()) {
    Channel channel;
    channel.from = wire.from;
    channel.to = wire.to;
    channel.input = static_cast<std::uint16_t>(wire.input);
    const auto number = static_cast<std::uint32_t>(channels_.size());
    channel.output = static_cast<std::uint16_t>(number - fabric_.first_channel(wire.from));
    channel.is_free = fabric_.is_free(number);
    channel.capacity = channel.is_free ? std::numeric_limits<double>::infinity() : fabric_.capacity(number);
    feeders_[input_at(wire.to, wire.input)] = number;
    channels_.push_back(channel);
  }
}

// A unit is a channel from its switch to itself.
void Network::add_units() {
  first_unit_.assign(fabric_.vertices(), none);
  for (std::uint32_t vertex = fabric_.nodes(); vertex < fabric_.vertices(); ++vertex) {
    first_unit_[vertex] = static_cast<std::uint32_t>(channels_.size());
    for (std::uint32_t unit = 0; unit < options_.combine_units; ++unit) {
      Channel channel;
      channel.from = channel.to = vertex;
      channel.input = static_cast<std::uint16_t>(fabric_.inputs(vertex) + unit);
      channel.unit = static_cast<std::uint16_t>(unit);
      channel.output = static_cast<std::uint16_t>(fabric_.outputs(vertex) + unit);
      feeders_[input_at(vertex, channel.input)] = static_cast<std::uint32_t>(channels_.size());
      channels_.push_back(channel);
    }
  }
}

void Network::add_queues() {
  std::uint32_t queues = 0;
  std::uint32_t words = 0;
  for (Channel& channel : channels_) {
    const std::uint32_t inputs =
        fabric_.is_node(channel.from) ? 1 : fabric_.inputs(channel.from) + units_at(channel.from);
    channel.first_queue = queues;
    channel.first_word = words;
    channel.queues = inputs * (fabric_.is_node(channel.from) ? 1 : virtual_channels_);
    queues += channel.queues;
    words += (channel.queues + word_bits - 1) / word_bits;
    const std::uint32_t behind = fabric_.is_node(channel.to) ? 1 : crosspoints(channel.to);
    for (std::uint32_t each = 0; each < virtual_channels_; ++each)
      credits_.add(behind);
  }
  queues_.resize(queues);
  words_.assign(words, 0);
  queued_.assign(channels_.size(), 0);
  free_at_.assign(channels_.size(), 0);
  if (options_.arbitration == Arbitration::fair)
    fair_turns_ = {channels_.size(), virtual_channels_};
  if (options_.discipline == Discipline::input_queued) {
    input_queues_.resize(feeders_.size() * virtual_channels_);
    input_is_taken_.assign(input_queues_.size(), 0);
  }
}

std::uint32_t Network::take(const Packet& packet) {
  if (free_packets_.empty()) {
    packets_.push_back(packet);
    return static_cast<std::uint32_t>(packets_.size() - 1);
  }
  const std::uint32_t index = free_packets_.back();
  free_packets_.pop_back();
  packets_[index] = packet;
  return index;
}

bool Network::run_until(Ticks time) {
  push(time, What::stop, 0);
  for (;;) {
    const Event event = queue_.pop();
    now_ = event.time;
    if (event.what == What::stop)
      return !queue_.empty();
    ++events_;
    handle(event);
  }
}

void Network::run() {
  while (!queue_.empty())
    step();
}

void Network::step() {
  const Event event = queue_.pop();
  now_ = event.time;
  ++events_;
  handle(event);
}

void Network::handle(const Event& event) {
  switch (event.what) {
  case What::arrive:
    arrive(event.index);
    break;
  case What::deliver:
    source_.deliver(packets_[event.index], channels_[packets_[event.index].channel].to, now_);
    free(event.index);
    break;
  case What::wake:
    if (channels_[event.index].wake_at == now_) {
      channels_[event.index].wake_at = never;
      try_send(event.index);
    }
    break;
  case What::inject:
    inject(event.index);
    break;
  case What::whole:
    enqueue(event.index, packets_[event.index].next);
    break;
  case What::promote:
    promote(event.index);
    break;
  case What::stop:
    break;
  }
}

bool Network::ask(std::uint32_t node, Packet& packet, Ticks& ready) {
  if (!source_.next(node, now_, packet, ready))
    return false;
  packet.came = ready;
  if (packet.time == 0)
    packet.time = static_cast<std::uint32_t>(
        packet.bytes == options_.packet_bytes ? full_packet_ : transfer_ticks(options_, packet.bytes));
  return true;
}

// Whatever a node has is in its first switch at once.
void Network::inject_freely(std::uint32_t node) {
  for (;;) {
    Packet packet;
    Ticks ready = now_;
    if (!ask(node, packet, ready))
      return;
    packet.channel = fabric_.first_channel(node);
    push(ready + options_.switch_delay, What::arrive, take(packet));
  }
}

void Network::inject(std::uint32_t node) {
  const std::uint32_t channel = fabric_.first_channel(node);
  if (channels_[channel].is_free) {
    inject_freely(node);
    return;
  }
  if (queued_[channel] > 0)
    return;
  if (held_[node] == none) {
    Packet packet;
    Ticks ready = now_;
    if (!ask(node, packet, ready))
      return;
    held_[node] = take(packet);
    if (ready > now_)
      push(ready, What::inject, node);
  }
  if (packets_[held_[node]].came > now_)
    return;
  const std::uint32_t index = held_[node];
  held_[node] = none;
  enqueue(index, channel);
}

void Network::arrive(std::uint32_t index) {
  Packet& packet = packets_[index];
  const Channel& channel = channels_[packet.channel];
  packet.input = channel.input * virtual_channels_ + packet.virtual_channel;
  packet.came = now_;
  if (options_.discipline == Discipline::input_queued && !channel.is_free) {
    const std::uint32_t input =
        input_at(channel.to, channel.input) * virtual_channels_ + packet.virtual_channel;
    if (input_is_taken_[input] != 0) {
      Queue& queue = input_queues_[input];
      (queue.first == none ? queue.first : packets_[queue.last].next) = index;
      queue.last = index;
      return;
    }
    input_is_taken_[input] = 1;
  }
  route(index);
}

void Network::promote(std::uint32_t input) {
  Queue& queue = input_queues_[input];
  if (queue.first == none) {
    input_is_taken_[input] = 0;
    return;
  }
  const std::uint32_t index = queue.first;
  queue.first = packets_[index].next;
  packets_[index].next = none;
  route(index);
}

void Network::route(std::uint32_t index) {
  Packet& packet = packets_[index];
  const std::uint32_t vertex = channels_[packet.channel].to;
  if (packet.kind == Kind::multicast) {
    multicast(index, vertex);
    return;
  }
  if (packet.kind == Kind::reduction) {
    const std::uint32_t output = reduction_output(packet, vertex);
    place(index, output, true);
    return;
  }
  const Hop hop = routing_.next(packet, vertex, {queued_, free_at_, now_, random_});
  packet.next_channel = hop.virtual_channel;
  place(index, hop.channel, true);
}

void Network::multicast(std::uint32_t index, std::uint32_t vertex) {
  const Packet original = packets_[index];
  const std::uint32_t came_by = original.input / virtual_channels_;
  const std::uint64_t outputs = groups_->ports(vertex, original.group) & ~(std::uint64_t{1} << came_by);
  std::uint32_t copies = none;
  if (free_copies_.empty()) {
    copies = static_cast<std::uint32_t>(copies_.size());
    copies_.emplace_back();
  } else {
    copies = free_copies_.back();
    free_copies_.pop_back();
  }
  copies_[copies] = {static_cast<std::uint32_t>(std::popcount(outputs)), outputs};
  THALWEG_ASSERT(normal, outputs != 0);
  for (std::uint64_t rest = outputs; rest != 0; rest &= rest - 1) {
    const bool is_first = rest == outputs;
    const std::uint32_t copy = is_first ? index : take(original);
    packets_[copy].copies = copies;
    place(copy, fabric_.first_channel(vertex) + static_cast<std::uint32_t>(std::countr_zero(rest)), is_first);
  }
}

// Tells the sender which crosspoint the packet is at, once for all copies that it is no longer in flight.
void Network::place(std::uint32_t index, std::uint32_t channel, bool is_first) {
  const Channel& output = channels_[channel];
  Packet& packet = packets_[index];
  const std::uint32_t feeder = packet.channel;
  if (options_.credits == CreditRule::crosspoint && !channels_[feeder].is_free) {
    const std::int8_t arrived = is_first ? -1 : 0;
    note(feeder, packet.virtual_channel,
         {now_ + delay(channels_[feeder]), none, static_cast<std::uint16_t>(output.output), arrived, 1});
  }
  if (output.is_free) {
    put_out(index, channel);
  } else if (output.unit == no_unit && output.capacity <= channels_[feeder].capacity) {
    enqueue(index, channel);
  } else {
    packet.next = channel;
    push(now_ + duration(packet, channels_[feeder]), What::whole, index);
  }
}

// Into the memory of the node beside the switch.
void Network::put_out(std::uint32_t index, std::uint32_t channel) {
  Packet& packet = packets_[index];
  const Ticks end = now_ + duration(packet, channels_[packet.channel]);
  ++hops_;
  release(channels_[channel].from, channels_[channel].output, packet, end);
  packet.channel = channel;
  source_.will_come(packet, now_);
  push(end, What::deliver, index);
}

// May a packet leave without any queue?
bool Network::passes(std::uint32_t channel, std::uint32_t virtual_channel) {
  return queued_[channel] == 0 && free_at_[channel] <= now_ &&
         (fabric_.is_node(channels_[channel].to) ||
          credits_.has_room(credit_of(channel, virtual_channel), now_));
}

void Network::append(const Channel& output, std::uint32_t number, std::uint32_t index) {
  Queue& queue = queues_[output.first_queue + number];
  packets_[index].next = none;
  if (queue.first == none) {
    queue.first = index;
    words_[output.first_word + number / word_bits] |= std::uint64_t{1} << number % word_bits;
  } else {
    packets_[queue.last].next = index;
  }
  queue.last = index;
}

void Network::enqueue(std::uint32_t index, std::uint32_t channel) {
  Channel& output = channels_[channel];
  const std::uint32_t number = packets_[index].input;
  if (passes(channel, packets_[index].next_channel)) {
    output.served = number;
    output.is_blocked = false;
    send(channel, index);
    return;
  }
  if (fair_turns_.are_off())
    append(output, number, index);
  else
    fair_turns_.add(channel, index, packets_[index]);
  ++queued_[channel];
  if (!output.is_blocked || virtual_channels_ > 1)
    try_send(channel);
}

std::string Network::waiting() const {
  constexpr int max_listed = 8;
  std::string text;
  int listed = 0;
  for (std::uint32_t channel = 0; channel < channels_.size() && listed < max_listed; ++channel)
    if (queued_[channel] > 0) {
      const Channel& one = channels_[channel];
      const std::string where = one.unit != no_unit ? fmt::format("switch {}, combine unit {}",
                                                                  one.from - fabric_.nodes(), one.unit)
                                                    : fabric_.channel_name(channel);
      text += fmt::format("\n  {}: {} packets wait for room", where, queued_[channel]);
      ++listed;
    }
  if (!combined_.empty())
    text += fmt::format("\n  {} reductions wait for contributions", combined_.size());
  return text;
}

void Network::require_empty() const {
  if (inside() > 0 || !combined_.empty())
    throw Error(fmt::format("the network stands still with {} packets in it:{}", inside(), waiting()),
                "give the routing enough virtual channels, and let every member of a group contribute");
}

} // namespace thalweg::simulate::packet
