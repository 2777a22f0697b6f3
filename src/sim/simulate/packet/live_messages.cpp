// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/live_messages.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::simulate::packet {

LiveMessages::LiveMessages(const Fabric& fabric, const Routing& routing, const LiveOptions& options)
    : fabric_(fabric), options_(options), nodes_(fabric.nodes()),
      network_(fabric, routing, options.routers, nullptr, *this) {}

void LiveMessages::start(Ticks now, const Message& message) {
  THALWEG_ASSERT(normal, message.bytes > 0 && message.from != message.to);
  const std::uint64_t longest = std::min<std::uint64_t>(message.bytes, options_.routers.packet_bytes);
  if (message.alone / message.bytes * longest > max_packet_ticks)
    throw Error(fmt::format("a packet of {} bytes takes {} ns on a link", longest,
                            message.alone / message.bytes * longest / 1000),
                fmt::format("choose smaller packets, which take up to {} ns", max_packet_ticks / 1000));
  const std::uint32_t slot = states_.take({.message = message,
                                           .began = now,
                                           .bytes_left = message.bytes,
                                           .alone_left = message.alone,
                                           .bytes_missing = message.bytes});
  if (!queues_.enter(message.queue, slot))
    return;
  wait_for_turn(slot);
  network_.offer(message.from, now);
}

std::optional<LiveMessages::Arrival> LiveMessages::advance(Ticks until) {
  arrival_.reset();
  while (!arrival_) {
    const Ticks next = network_.next_time();
    if (next == never || next > until)
      break;
    network_.step();
  }
  return arrival_;
}

Ticks LiveMessages::latency(std::uint32_t from, std::uint32_t to) const {
  const auto hops = static_cast<Ticks>(fabric_.shape().hops(from, to));
  const Ticks switches = fabric_.has_ports() ? hops + 1 : hops - 1;
  return hops * options_.routers.channel_delay + switches * options_.routers.switch_delay;
}

bool LiveMessages::may_send(const State& state) const {
  return state.bytes_left > 0 && state.at_first < options_.routers.buffers;
}

void LiveMessages::wait_for_turn(std::uint32_t slot) {
  State& state = states_[slot];
  if (state.is_waiting || !may_send(state))
    return;
  state.is_waiting = true;
  nodes_[state.message.from].turns.push_back(slot);
}

// A packet takes its part of the message's time, and the last one what is left of it.
bool LiveMessages::next(std::uint32_t node, Ticks now, Packet& packet, Ticks& ready) {
  Node& sender = nodes_[node];
  for (; !sender.acknowledged.empty() && sender.acknowledged.front() <= now; sender.acknowledged.pop_front())
    --sender.unacknowledged;
  if (sender.turns.empty() || (options_.window > 0 && sender.unacknowledged == options_.window))
    return false;
  const std::uint32_t slot = sender.turns.front();
  sender.turns.pop_front();
  State& state = states_[slot];
  state.is_waiting = false;
  const Message& message = state.message;
  const std::uint64_t bytes = std::min<std::uint64_t>(state.bytes_left, options_.routers.packet_bytes);
  state.bytes_left -= bytes;
  const double part = static_cast<double>(message.alone) / static_cast<double>(message.bytes);
  const Ticks time = state.bytes_left == 0
                         ? state.alone_left
                         : std::min(state.alone_left, static_cast<Ticks>(part * static_cast<double>(bytes)));
  state.alone_left -= time;
  packet.born = state.began;
  packet.bytes = static_cast<std::uint32_t>(bytes);
  packet.time = static_cast<std::uint32_t>(std::clamp<Ticks>(time, 1, max_packet_ticks));
  packet.from = node;
  packet.to = message.to;
  packet.message = slot;
  ready = now;
  ++sender.unacknowledged;
  state.at_first += fabric_.is_free(fabric_.first_channel(node)) ? 1 : 0;
  wait_for_turn(slot);
  if (state.bytes_left == 0)
    if (const auto behind = queues_.leave(message.queue))
      wait_for_turn(*behind);
  return true;
}

void LiveMessages::left(const Packet& packet) {
  THALWEG_ASSERT(normal, states_[packet.message].at_first > 0);
  --states_[packet.message].at_first;
  wait_for_turn(packet.message);
}

void LiveMessages::waited(const Packet& packet, std::uint32_t channel, Ticks time) {
  State& state = states_[packet.message];
  if (time <= state.longest_wait)
    return;
  state.longest_wait = time;
  state.longest_at = channel;
}

void LiveMessages::deliver(const Packet& packet, std::uint32_t /*node*/, Ticks now) {
  ++packets_;
  State& state = states_[packet.message];
  THALWEG_ASSERT(normal, state.bytes_missing >= packet.bytes);
  state.bytes_missing -= packet.bytes;
  if (state.bytes_missing > 0)
    return;
  const Message& message = state.message;
  THALWEG_ASSERT(normal, !arrival_ && state.bytes_left == 0 && now >= state.began);
  arrival_ = {message.number, message.from, message.to, message.alone, state.began, now, state.longest_at};
  states_.give_back(packet.message);
}

void LiveMessages::will_come(const Packet& packet, Ticks head) {
  if (options_.window == 0)
    return;
  const Ticks time = head + options_.turnaround + latency(packet.from, packet.to);
  auto& known = nodes_[packet.from].acknowledged;
  known.insert(std::ranges::upper_bound(known, time), time);
  network_.offer(packet.from, time);
}

} // namespace thalweg::simulate::packet
