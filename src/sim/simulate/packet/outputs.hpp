// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which packet leaves by a channel, and when. One leaves where the channel is free and there is room for all
// of it behind, as the credits know. The channel is woken when either may have come true.

#include "base/assertion.hpp"
#include "simulate/packet/agenda.hpp"
#include "simulate/packet/channels.hpp"
#include "simulate/packet/crosspoints.hpp"

#include <algorithm>
#include <bit>
#include <span>

namespace thalweg::simulate::packet {

class Outputs {
public:
  /// Keeps references to the channels, packets and events, which belong to one network.
  Outputs(Channels& channels, const RouterOptions& options, std::uint32_t virtual_channels,
          Pool<Packet>& packets, Agenda& agenda);
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  /// The number of the queue for what comes to a switch by an input and a virtual channel, a packet's
  /// `input`.
  std::uint32_t queue(std::uint32_t input, std::uint32_t virtual_channel) const {
    return input * virtual_channels_ + virtual_channel;
  }
  /// May a packet leave at once, without waiting? The caller sends it then.
  bool pass(std::uint32_t channel, const Packet& packet) {
    THALWEG_ASSERT(normal, packet.next_channel < virtual_channels_);
    const Ticks now = agenda_.now();
    if (crosspoints_.waiting(channel) > 0 || channels_.free_at(channel) > now ||
        !has_room(channel, packet.next_channel))
      return false;
    crosspoints_.pass(channel, packet.input);
    lines_[channel].is_blocked = false;
    return true;
  }
  /// A packet has to wait. Is next() to be asked, as it may be the one that can leave?
  bool add(std::uint32_t channel, std::uint32_t index) {
    crosspoints_.add(channel, index);
    return !lines_[channel].is_blocked || virtual_channels_ > 1;
  }
  /// Takes out the packet that leaves now, for the caller to send it. None: nothing waits, or the channel
  /// will be woken.
  std::uint32_t next(std::uint32_t channel) {
    THALWEG_ASSERT(normal, channel < lines_.size());
    if (crosspoints_.waiting(channel) == 0)
      return none;
    if (const Ticks free_at = channels_.free_at(channel); free_at > agenda_.now()) {
      wake(channel, free_at);
      return none;
    }
    return choose(channel);
  }
  /// That packet has been sent: the channel is woken behind it if more wait.
  void go_on(std::uint32_t channel) {
    if (crosspoints_.waiting(channel) > 0)
      wake(channel, channels_.free_at(channel));
  }
  /// Is an event that wakes the channel up the one that counts? The others are outdated.
  bool is_woken(std::uint32_t channel) {
    Ticks& wake_at = lines_[channel].wake_at;
    if (wake_at != agenda_.now())
      return false;
    wake_at = never;
    return true;
  }
  /// How many packets wait for a channel, and for each.
  std::uint32_t waiting(std::uint32_t channel) const { return crosspoints_.waiting(channel); }
  std::span<const std::uint32_t> waiting() const { return crosspoints_.waiting(); }

  /// A packet was sent and needs room behind the channel.
  void use_credit(std::uint32_t channel, std::uint32_t virtual_channel) {
    credits_.send(channel, virtual_channel);
  }
  /// The packet that came by a channel is at that crosspoint behind it. Of several copies the first says that
  /// the packet is no longer in flight.
  void note_arrival(const Packet& packet, std::uint32_t crosspoint, bool is_first) {
    if (rule_ == CreditRule::crosspoint)
      note(packet, agenda_.now(), crosspoint, is_first ? -1 : 0, 1);
  }
  /// It has left by that time, and with it all copies at those crosspoints, if it has any (bits).
  void note_departure(const Packet& packet, std::uint32_t crosspoint, std::uint64_t copies, Ticks time) {
    if (rule_ == CreditRule::link)
      note(packet, time, 0, -1, 0);
    else if (copies == 0)
      note(packet, time, crosspoint, 0, -1);
    for (; rule_ == CreditRule::crosspoint && copies != 0; copies &= copies - 1)
      note(packet, time, static_cast<std::uint32_t>(std::countr_zero(copies)), 0, -1);
  }

  bool credits_are_whole() { return credits_.are_whole(); }
  /// For people: lines of channels for which packets wait, not too many.
  std::string list() const;

private:
  bool has_room(std::uint32_t channel, std::uint32_t virtual_channel) {
    return channels_[channel].is_to_node || credits_.has_room(channel, virtual_channel, agenda_.now());
  }
  void wake(std::uint32_t channel, Ticks time) {
    Ticks& wake_at = lines_[channel].wake_at;
    if (wake_at <= time)
      return;
    wake_at = time;
    agenda_.add(time, What::wake, channel);
  }
  void wait_for_credits(std::uint32_t channel);
  std::uint32_t choose(std::uint32_t channel);
  /// The sender knows what has happened behind its channel when the channel's delay has passed.
  void note(const Packet& packet, Ticks time, std::uint32_t crosspoint, std::int8_t in_flight,
            std::int8_t held) {
    const std::uint32_t feeder = packet.channel;
    const Ticks known = channels_[feeder].is_unit() ? time : time + channel_delay_;
    credits_.insert(feeder, packet.virtual_channel,
                    {known, UINT32_MAX, static_cast<std::uint16_t>(crosspoint), in_flight, held});
    if (lines_[feeder].is_blocked)
      wake(feeder, std::max(known, agenda_.now()));
  }

  const Channels& channels_;
  std::span<ChannelLine> lines_;
  CreditRule rule_;
  Ticks channel_delay_;
  std::uint32_t virtual_channels_;
  Agenda& agenda_;
  Crosspoints crosspoints_;
  Credits credits_;
};

} // namespace thalweg::simulate::packet
