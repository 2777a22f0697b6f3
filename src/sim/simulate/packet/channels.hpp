// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The channels of a network: those of its fabric, and the combine units of its switches, each of which is a
// channel from its switch to itself. What they are stays; when they are free and what they have carried
// changes.

#include "base/assertion.hpp"
#include "simulate/packet/packet.hpp"

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
  bool is_of_node = false;      ///< a node sends by it
  bool is_to_node = false;
  bool is_free = false; ///< it takes no time, and has no credits

  bool is_unit() const { return unit != no_unit; }
  /// How long a packet takes on it.
  Ticks duration(const Packet& packet) const {
    return capacity == 1 ? packet.time : static_cast<Ticks>(std::llround(packet.time / capacity));
  }
};

class Channels {
public:
  /// Each switch has so many combine units. Keeps a reference to the fabric.
  Channels(const Fabric& fabric, std::uint32_t combine_units);

  std::uint32_t size() const { return static_cast<std::uint32_t>(channels_.size()); }
  const Channel& operator[](std::uint32_t channel) const { return channels_[channel]; }
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
    carried_[channel].time += duration;
    carried_[channel].bytes += bytes;
  }
  /// When each has sent what it sends.
  std::span<const Ticks> free_at() const { return free_at_; }
  Ticks free_at(std::uint32_t channel) const { return free_at_[channel]; }
  /// How long a channel was busy, and what it carried.
  Ticks busy(std::uint32_t channel) const { return carried_[channel].time; }
  std::uint64_t bytes(std::uint32_t channel) const { return carried_[channel].bytes; }

private:
  struct Carried {
    Ticks time = 0;
    std::uint64_t bytes = 0;
  };

  void add_wires();
  void add_units(std::uint32_t vertex);

  const Fabric& fabric_;
  std::uint32_t units_; // of a switch
  std::vector<Channel> channels_;
  std::vector<Ticks> free_at_;
  std::vector<Carried> carried_;
};

} // namespace thalweg::simulate::packet
