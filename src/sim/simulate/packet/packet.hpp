// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What travels, and where it comes from.

#include "simulate/packet/fabric.hpp"
#include "simulate/packet/options.hpp"

namespace thalweg::simulate::packet {

enum class Kind : std::uint8_t {
  unicast,
  multicast, ///< to all members of a group but the one that sends it
  reduction, ///< from all members of a group but one, to that one
};

/// A packet; of a multicast, the copy for one output. It fills a line of a processor's cache.
struct alignas(64) Packet {
  Ticks born = 0;
  std::uint32_t bytes = 0;
  std::uint32_t from = 0;     ///< node
  std::uint32_t to = 0;       ///< node; of a multicast nothing
  std::uint32_t group = none; ///< of multicasts and reductions
  std::uint32_t message = 0;  ///< whatever its source wants to know; of reductions, what is combined together
  Kind kind = Kind::unicast;

  // While it is on its way.
  std::uint8_t virtual_channel = 0; ///< that it travels in
  std::uint8_t next_channel = 0;    ///< that it leaves in
  std::uint8_t phase = 0;           ///< of its route, as the routing counts
  std::uint32_t via = none;         ///< where the routing sends it first
  std::uint32_t input = 0;          ///< of the vertex that it is in, times virtual channels
  std::uint32_t channel = 0;        ///< that it came by
  std::uint32_t next = none;        ///< behind it in its queue
  std::uint32_t copies = none;      ///< what its copies share (network.hpp)
  std::uint32_t time = 0;           ///< picoseconds on a channel of capacity 1; 0: by its bytes
  Ticks came = 0;                   ///< to the switch that it is in
};
static_assert(sizeof(Packet) == 64);

/// What the nodes send, and who hears of what arrives. Every call is in the order of time.
class Source {
public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  /// The next packet of a node, with `born`, `bytes`, `from`, `to`, `group`, `message` and `kind`; false if
  /// it has none for now (Network::offer() then asks again). `ready` is when it may be sent, or could have
  /// been: packets behind it wait for it. A node without a cable has nothing that could have been.
  virtual bool next(std::uint32_t node, Ticks now, Packet& packet, Ticks& ready) = 0;
  /// The last byte has come to a node.
  virtual void deliver(const Packet& packet, std::uint32_t node, Ticks now) = 0;
  /// A packet has begun to leave its first switch, beside which its node is without a cable: that node is
  /// asked for another one.
  virtual void left(const Packet& /*packet*/) {}
  /// A packet goes to its node, where its head will be at that time.
  virtual void will_come(const Packet& /*packet*/, Ticks /*head*/) {}
  /// A packet goes on by a channel that it has waited for so long.
  virtual void waited(const Packet& /*packet*/, std::uint32_t /*channel*/, Ticks /*time*/) {}
};

} // namespace thalweg::simulate::packet
