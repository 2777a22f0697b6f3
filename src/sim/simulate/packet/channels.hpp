// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The channels of a network: those of its fabric, and the combine units of its switches, each of which is a
// channel from its switch to itself. What they are stays; when they are free and what they have carried
// changes.

#include "base/assertion.hpp"
#include "simulate/packet/packet.hpp"
#include "simulate/packet/queues.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace thalweg::simulate::packet {

struct Channel {
  static constexpr std::uint16_t no_unit = UINT16_MAX;

  double capacity = 1;       ///< relative to other channels; infinite between a node and its free port
  std::uint32_t from = none; ///< vertex
  std::uint32_t to = none;
  std::uint16_t input = 0;      ///< its number among those of `to`, combine units behind the fabric's
  std::uint16_t output = 0;     ///< its number among the crosspoints of `from`
  std::uint16_t unit = no_unit; ///< its number among the combine units of its switch, if it is one
  bool is_of_node : 1 = false;  ///< a node sends by it
  bool is_to_node : 1 = false;
  bool is_free : 1 = false; ///< it takes no time, and has no credits

  bool is_unit() const { return unit != no_unit; }
  /// How long a packet takes on it.
  Ticks duration(const Packet& packet) const {
    return capacity == 1 ? packet.time : static_cast<Ticks>(std::llround(packet.time / capacity));
  }
};

/// The queues of what waits for a channel, which lie together (Crosspoints).
struct QueueRow {
  std::uint32_t first_queue = 0;
  std::uint32_t first_word = 0; ///< of the bits that say which of them have something
  std::uint32_t queues = 0;
  std::uint32_t served = 0; ///< the queue after which the next turn begins
};

/// What a channel has carried (Channels).
struct Usage {
  Ticks time = 0;
  std::uint64_t bytes = 0;
};

/// All that is read and written of a channel when a packet leaves by it, each by the part that is named
/// there. It fills a line of the processor's cache, as networks of some thousand nodes do not fit into the
/// cache: in vectors of the parts' own these would be four lines.
struct alignas(64) ChannelLine {
  [[no_unique_address]] Channel facts; ///< what stays
  bool is_blocked = false;             ///< waits for credits (Outputs)
  Ticks wake_at = never;               ///< Outputs
  Usage usage;                         ///< Channels
  QueueRow row;                        ///< Crosspoints
};
static_assert(sizeof(ChannelLine) == 64);

class Channels {
public:
  /// Each switch has so many combine units. Keeps a reference to the fabric.
  Channels(const Fabric& fabric, std::uint32_t combine_units);

  std::uint32_t size() const { return static_cast<std::uint32_t>(lines_.size()); }
  const Channel& operator[](std::uint32_t channel) const { return lines_[channel].facts; }
  /// For the parts that keep a state there.
  std::span<ChannelLine> lines() { return lines_; }
  const Fabric& fabric() const { return fabric_; }
  /// The channel that is a combine unit of a switch.
  std::uint32_t unit(std::uint32_t vertex, std::uint32_t unit) const {
    THALWEG_ASSERT(normal, !fabric_.is_node(vertex) && unit < units_);
    return static_cast<std::uint32_t>(fabric_.wires().size()) + (vertex - fabric_.nodes()) * units_ + unit;
  }
  /// Where packets may come from that leave by a channel, and how many crosspoints it leads to.
  std::uint32_t inputs_before(std::uint32_t channel) const;
  std::uint32_t crosspoints_behind(std::uint32_t channel) const;
  /// For people, e.g. "switch 17, output 3" or "switch 17, combine unit 0".
  std::string name(std::uint32_t channel) const;

  /// From now on a channel sends a packet of so many bytes, which takes so long.
  void occupy(std::uint32_t channel, Ticks now, Ticks duration, std::uint32_t bytes) {
    THALWEG_ASSERT(normal, free_at_[channel] <= now);
    free_at_[channel] = now + duration;
    Usage& usage = lines_[channel].usage;
    usage.time += duration;
    usage.bytes += bytes;
  }
  /// When each has sent what it sends.
  std::span<const Ticks> free_at() const { return free_at_; }
  Ticks free_at(std::uint32_t channel) const { return free_at_[channel]; }
  /// How long a channel was busy, and what it carried.
  Ticks busy(std::uint32_t channel) const { return lines_[channel].usage.time; }
  std::uint64_t bytes(std::uint32_t channel) const { return lines_[channel].usage.bytes; }

private:
  void add_wires();
  void add_units(std::uint32_t vertex);

  const Fabric& fabric_;
  std::uint32_t units_; ///< of a switch
  std::vector<ChannelLine> lines_;
  std::vector<Ticks> free_at_;
};

/// A change of what a sender knows.
struct CreditNote {
  Ticks time = 0;
  std::uint32_t next = UINT32_MAX;
  std::uint16_t crosspoint = 0; ///< of which the count changes, if it does
  std::int8_t in_flight = 0;    ///< by how much these change
  std::int8_t held = 0;
};

/// What channels' senders know of the room behind them. Whatever comes back is kept with the time at which it
/// is known, and looked at when the sender wants to send: no event is spent on a credit.
///
/// Credits of all channels, by virtual channel. Of each there is a counter of packets that may come to any
/// crosspoint yet, and one for each crosspoint of those that are known to be in it. With one counter a link
/// all count as in flight until they have left.
class Credits {
public:
  Credits(std::uint32_t buffers, std::uint32_t virtual_channels)
      : buffers_(buffers), virtual_channels_(virtual_channels) {}

  /// A channel more, in front of so many crosspoints.
  void add(std::uint32_t crosspoints) {
    for (std::uint32_t each = 0; each < virtual_channels_; ++each) {
      Counters counters;
      counters.first = static_cast<std::uint32_t>(numbers_.size());
      counters_.push_back(counters);
      // How many crosspoints have 0, 1, .. packets, then how many each has.
      numbers_.push_back(static_cast<std::uint16_t>(crosspoints));
      numbers_.resize(numbers_.size() + buffers_ + crosspoints, 0);
    }
  }

  /// Takes in what is known at a time; is there room for a packet wherever it may go?
  bool has_room(std::uint32_t channel, std::uint32_t virtual_channel, Ticks now) {
    Counters& counters = counters_[number(channel, virtual_channel)];
    while (counters.first_time <= now)
      apply(counters, pop(counters));
    return std::uint32_t{counters.in_flight} + counters.peak < buffers_;
  }
  /// The bits of the virtual channels that have room.
  std::uint32_t open(std::uint32_t channel, Ticks now) {
    std::uint32_t open = 0;
    for (std::uint32_t each = 0; each < virtual_channels_; ++each)
      if (has_room(channel, each, now))
        open |= std::uint32_t{1} << each;
    return open;
  }
  /// A packet has been sent, where has_room() said that there is room.
  void send(std::uint32_t channel, std::uint32_t virtual_channel) {
    Counters& counters = counters_[number(channel, virtual_channel)];
    THALWEG_ASSERT(normal, std::uint32_t{counters.in_flight} + counters.peak < buffers_);
    ++counters.in_flight;
  }
  /// When a channel hears of something next, or never.
  Ticks next_time(std::uint32_t channel) const {
    Ticks first = never;
    for (std::uint32_t each = 0; each < virtual_channels_; ++each)
      first = std::min(first, counters_[number(channel, each)].first_time);
    return first;
  }

  void insert(std::uint32_t channel, std::uint32_t virtual_channel, const CreditNote& note) {
    Counters& counters = counters_[number(channel, virtual_channel)];
    const std::uint32_t index = notes_.take(note);
    if (counters.first_note == UINT32_MAX || note.time >= notes_[counters.last_note].time) {
      (counters.first_note == UINT32_MAX ? counters.first_note : notes_[counters.last_note].next) = index;
      counters.last_note = index;
    } else {
      std::uint32_t* place = &counters.first_note;
      while (notes_[*place].time <= note.time)
        place = &notes_[*place].next;
      notes_[index].next = *place;
      *place = index;
    }
    counters.first_time = notes_[counters.first_note].time;
  }

  /// Nothing in flight, nothing held anywhere, once all notes are taken in.
  bool are_whole() {
    const auto channels = static_cast<std::uint32_t>(counters_.size() / virtual_channels_);
    for (std::uint32_t channel = 0; channel < channels; ++channel)
      open(channel, never - 1);
    return std::ranges::all_of(counters_,
                               [](const Counters& one) { return one.in_flight == 0 && one.peak == 0; });
  }

private:
  struct Counters {
    Ticks first_time = never; ///< of the first note
    std::uint32_t first_note = UINT32_MAX;
    std::uint32_t last_note = UINT32_MAX;
    std::uint32_t first = 0; ///< in the numbers
    std::uint16_t in_flight = 0;
    std::uint16_t peak = 0; ///< what the fullest crosspoint holds
  };

  std::uint32_t number(std::uint32_t channel, std::uint32_t virtual_channel) const {
    return channel * virtual_channels_ + virtual_channel;
  }

  CreditNote pop(Counters& counters) {
    const std::uint32_t index = counters.first_note;
    counters.first_note = notes_[index].next;
    counters.first_time = counters.first_note == UINT32_MAX ? never : notes_[counters.first_note].time;
    notes_.give_back(index);
    return notes_[index];
  }

  void apply(Counters& counters, const CreditNote& note) {
    THALWEG_ASSERT(normal, counters.in_flight + note.in_flight >= 0);
    counters.in_flight = static_cast<std::uint16_t>(counters.in_flight + note.in_flight);
    if (note.held == 0)
      return;
    std::uint16_t* const having = numbers_.data() + counters.first;
    std::uint16_t& held = having[buffers_ + 1 + note.crosspoint];
    THALWEG_ASSERT(normal, having[held] > 0 && held + note.held >= 0);
    --having[held];
    held = static_cast<std::uint16_t>(held + note.held);
    THALWEG_ASSERT(normal, held <= buffers_);
    ++having[held];
    counters.peak = std::max(counters.peak, held);
    while (counters.peak > 0 && having[counters.peak] == 0)
      --counters.peak;
  }

  std::uint32_t buffers_;
  std::uint32_t virtual_channels_;
  std::vector<Counters> counters_;
  std::vector<std::uint16_t> numbers_;
  Pool<CreditNote> notes_; ///< of all channels, in lists by time
};

} // namespace thalweg::simulate::packet
