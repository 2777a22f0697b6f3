// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a network of routers is made of and what it takes, what travels in it, and where that comes from: the
// parameters of chapter 8 of S. Kumar, "Optimizing communication for massively parallel processing" (2005),
// with its values as the usual ones.

#include "simulate/packet/fabric.hpp"

#include <cstdint>

namespace thalweg::simulate::packet {

/// Picoseconds.
using Ticks = std::uint64_t;
inline constexpr Ticks never = UINT64_MAX;

/// When a packet may leave for the next switch. The text has both; which one is meant decides how much a
/// network carries.
enum class CreditRule : std::uint8_t {
  crosspoint, ///< each crosspoint that it may come to has room: a counter for each
  link,       ///< one counter a link: so many packets are in all crosspoints of an input together
};

/// Where packets wait.
enum class Discipline : std::uint8_t {
  output_queued, ///< at a crosspoint for each input and output
  input_queued,  ///< in one queue for each input, whose first packet alone may leave: for comparison
};

/// Which of its crosspoints an output serves next.
enum class Arbitration : std::uint8_t {
  round_robin, ///< the next input that has something
  oldest,      ///< the packet that came to the switch first
  fair,        ///< conversations have equal parts, whatever their inputs (FairTurns)
};

/// Which combine unit serves an input, of the units that are leaves.
enum class UnitSubsets : std::uint8_t {
  fixed, ///< consecutive inputs have the same: on a fat tree half of the units serve what comes from below
  round_robin, ///< input i has unit i modulo the leaves
};

struct RouterOptions {
  std::uint32_t packet_bytes = 256;
  std::uint64_t bits_per_second = 10'000'000'000;
  Ticks channel_delay = 20'000;
  Ticks switch_delay = 90'000;
  std::uint32_t buffers = 4; ///< packets that a crosspoint has room for; of input queues, an input
  CreditRule credits = CreditRule::crosspoint;
  Discipline discipline = Discipline::output_queued;
  Arbitration arbitration = Arbitration::round_robin;
  std::uint32_t combine_units = 0; ///< of a switch: 1, or leaves and a root
  UnitSubsets unit_subsets = UnitSubsets::fixed;
  Ticks cycle = 4'000;              ///< of a combine unit: 250 MHz
  std::uint32_t element_cycles = 1; ///< that combining an element takes
  std::uint32_t element_bytes = 4;
  std::uint64_t seed = 1;
};

/// How long so many bytes take on a channel.
inline Ticks transfer_ticks(const RouterOptions& options, std::uint64_t bytes) {
  return bytes * 8 * 1'000'000 / (options.bits_per_second / 1'000'000);
}

/// The longest time of a packet on a channel.
inline constexpr Ticks max_packet_ticks = UINT32_MAX;

/// Throws Error for what no router has.
void check(const RouterOptions& options);

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

  /// While it is on its way.
  std::uint8_t virtual_channel = 0; ///< that it travels in
  std::uint8_t next_channel = 0;    ///< that it leaves in
  std::uint8_t phase = 0;           ///< of its route, as the routing counts
  std::uint32_t via = none;         ///< where the routing sends it first
  std::uint32_t input = 0;          ///< of the vertex that it is in, times virtual channels
  std::uint32_t channel = 0;        ///< that it came by
  std::uint32_t next = none;        ///< behind it in its queue
  std::uint32_t copies = none;      ///< what its copies share (Multicasts)
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
