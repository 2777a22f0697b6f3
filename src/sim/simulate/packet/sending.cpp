// SPDX-License-Identifier: BSD-3-Clause

// Channels: what each sends next, and the credits that it needs and gives back.

#include "simulate/packet/network.hpp"

#include <algorithm>
#include <bit>

namespace thalweg::simulate::packet {

void Network::wake(std::uint32_t channel, Ticks time) {
  if (channels_[channel].wake_at <= time)
    return;
  channels_[channel].wake_at = time;
  push(time, What::wake, channel);
}

void Network::note(std::uint32_t feeder, std::uint32_t virtual_channel, const CreditNote& note) {
  credits_.insert(credit_of(feeder, virtual_channel), note);
  if (channels_[feeder].is_blocked)
    wake(feeder, std::max(note.time, now_));
}

// Bits of those that have room behind.
std::uint32_t Network::open_virtual_channels(std::uint32_t channel) {
  if (fabric_.is_node(channels_[channel].to))
    return UINT32_MAX;
  std::uint32_t open = 0;
  for (std::uint32_t each = 0; each < virtual_channels_; ++each)
    if (credits_.has_room(credit_of(channel, each), now_))
      open |= std::uint32_t{1} << each;
  return open;
}

void Network::wait_for_credits(std::uint32_t channel) {
  channels_[channel].is_blocked = true;
  Ticks first = never;
  for (std::uint32_t each = 0; each < virtual_channels_; ++each)
    first = std::min(first, credits_.next_time(credit_of(channel, each)));
  if (first != never)
    wake(channel, first);
}

void Network::try_send(std::uint32_t channel) {
  if (queued_[channel] == 0)
    return;
  if (free_at_[channel] > now_) {
    wake(channel, free_at_[channel]);
    return;
  }
  const std::uint32_t open = open_virtual_channels(channel);
  const std::uint32_t queue = open == 0 ? none : select(channel, open);
  if (queue == none) {
    wait_for_credits(channel);
    return;
  }
  channels_[channel].is_blocked = false;
  const std::uint32_t index = pop(channel, queue);
  source_.waited(packets_[index], channel, now_ - packets_[index].came);
  send(channel, index);
  if (queued_[channel] > 0)
    wake(channel, free_at_[channel]);
}

bool Network::may_go(const Channel& channel, std::uint32_t queue, std::uint32_t open) const {
  return (open >> packets_[queues_[channel.first_queue + queue].first].next_channel & 1) != 0;
}

// The first queue from that one on that has something; none behind the last.
std::uint32_t Network::next_queue(const Channel& channel, std::uint32_t from) const {
  for (std::uint32_t word = from / word_bits; word * word_bits < channel.queues; ++word) {
    std::uint64_t bits = words_[channel.first_word + word];
    if (word == from / word_bits)
      bits = bits >> from % word_bits << from % word_bits;
    if (bits != 0)
      return word * word_bits + static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  return none;
}

std::uint32_t Network::select(std::uint32_t number, std::uint32_t open) const {
  if (!fair_turns_.are_off())
    return fair_turns_.select(number, open);
  const Channel& channel = channels_[number];
  if (options_.arbitration == Arbitration::oldest)
    return select_oldest(channel, open);
  const std::uint32_t after = channel.served + 1;
  for (std::uint32_t queue = next_queue(channel, after); queue != none;
       queue = next_queue(channel, queue + 1))
    if (may_go(channel, queue, open))
      return queue;
  for (std::uint32_t queue = next_queue(channel, 0); queue < after; queue = next_queue(channel, queue + 1))
    if (may_go(channel, queue, open))
      return queue;
  return none;
}

std::uint32_t Network::select_oldest(const Channel& channel, std::uint32_t open) const {
  const auto came = [&](std::uint32_t queue) {
    return packets_[queues_[channel.first_queue + queue].first].came;
  };
  std::uint32_t found = none;
  for (std::uint32_t queue = next_queue(channel, 0); queue != none; queue = next_queue(channel, queue + 1))
    if (may_go(channel, queue, open) && (found == none || came(queue) < came(found)))
      found = queue;
  return found;
}

std::uint32_t Network::pop(std::uint32_t channel, std::uint32_t number) {
  Channel& output = channels_[channel];
  if (!fair_turns_.are_off()) {
    --queued_[channel];
    return fair_turns_.pop(channel, number, packets_);
  }
  Queue& queue = queues_[output.first_queue + number];
  const std::uint32_t index = queue.first;
  queue.first = packets_[index].next;
  if (queue.first == none)
    words_[output.first_word + number / word_bits] &= ~(std::uint64_t{1} << number % word_bits);
  output.served = number;
  --queued_[channel];
  return index;
}

void Network::send(std::uint32_t channel, std::uint32_t index) {
  Channel& output = channels_[channel];
  if (output.unit != no_unit) {
    combine(channel, index);
    return;
  }
  Packet& packet = packets_[index];
  const Ticks time = duration(packet, output);
  const Ticks end = now_ + time;
  free_at_[channel] = end;
  output.busy += time;
  output.bytes += packet.bytes;
  const bool is_of_node = fabric_.is_node(output.from);
  if (!is_of_node) {
    ++hops_;
    release(output.from, output.output, packet, end);
  }
  packet.channel = channel;
  packet.virtual_channel = packet.next_channel;
  if (fabric_.is_node(output.to)) {
    source_.will_come(packet, now_ + options_.channel_delay);
    push(end + options_.channel_delay, What::deliver, index);
  } else {
    credits_.send(credit_of(channel, packet.virtual_channel));
    push(now_ + options_.channel_delay + options_.switch_delay, What::arrive, index);
  }
  if (is_of_node)
    inject(output.from);
}

// Gives the room of a packet back that has left a switch by that time.
void Network::release(std::uint32_t vertex, std::uint32_t output, Packet& packet, Ticks time) {
  const std::uint32_t feeder = packet.channel;
  if (channels_[feeder].is_free) {
    source_.left(packet);
    push(now_, What::inject, channels_[feeder].from);
    return;
  }
  const Ticks known = time + delay(channels_[feeder]);
  std::uint64_t outputs = 0;
  if (packet.copies != none) {
    Copies& copies = copies_[packet.copies];
    if (--copies.left > 0) {
      packet.copies = none;
      return;
    }
    outputs = copies.outputs;
    free_copies_.push_back(packet.copies);
    packet.copies = none;
  }
  if (options_.discipline == Discipline::input_queued)
    push(time, What::promote,
         input_at(vertex, packet.input / virtual_channels_) * virtual_channels_ + packet.virtual_channel);
  if (options_.credits == CreditRule::link) {
    note(feeder, packet.virtual_channel, {known, none, 0, -1, 0});
    return;
  }
  if (outputs == 0) {
    note(feeder, packet.virtual_channel, {known, none, static_cast<std::uint16_t>(output), 0, -1});
    return;
  }
  for (; outputs != 0; outputs &= outputs - 1)
    note(feeder, packet.virtual_channel,
         {known, none, static_cast<std::uint16_t>(std::countr_zero(outputs)), 0, -1});
}

} // namespace thalweg::simulate::packet
