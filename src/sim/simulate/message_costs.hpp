// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a message costs, in whole nanoseconds and by kind: the figures that level `loggp` works with.
//
// LogGOPS: Hoefler, Schneider, Lumsdaine 2010, "LogGOPSim: simulating large-scale applications in the LogGOPS
// model" (HPDC'10), which adds O, the overhead per byte, and S, the size from which ranks wait for each
// other, to LogGP (Alexandrov et al. 1995).

#include "machine/machine.hpp"

#include <compare>
#include <cstdint>
#include <string_view>

namespace thalweg::simulate {

/// A time or a duration in nanoseconds.
using Ticks = std::int64_t;

/// A message's costs. It keeps its sender's processor busy for send_overhead + send_bytes, and the sender's
/// interface for gap + gap_bytes from the same moment on. The receiver's processor can begin send_overhead +
/// latency + transfer after the sender has, is busy for receive_overhead + receive_bytes, and its interface
/// takes no other message for gap + gap_bytes_in.
struct MessageCost {
  std::int64_t bytes = 0;
  Ticks send_overhead = 0;
  Ticks send_bytes = 0;
  Ticks latency = 0;
  Ticks transfer = 0;
  Ticks receive_overhead = 0;
  Ticks receive_bytes = 0;
  Ticks gap = 0;
  Ticks gap_bytes = 0;
  Ticks gap_bytes_in = 0;
  bool is_rendezvous = false; ///< the sender goes on only when the message has met its receive

  Ticks send() const { return send_overhead + send_bytes; }
  Ticks delay() const { return send_overhead + latency + transfer; }
  Ticks receive() const { return receive_overhead + receive_bytes; }
  Ticks interface_out() const { return gap + gap_bytes; }
  Ticks interface_in() const { return gap + gap_bytes_in; }
  /// The same where links carry the bytes, which the receiver then is not busy with: alone on its links, a
  /// message takes as long as without them. Its `transfer` is that of links of capacity 1. Where nodes have
  /// one cable each, a rank still sends one message after another; where they have links to each neighbor,
  /// not.
  MessageCost on_links(bool has_cables) const;
  auto operator<=>(const MessageCost&) const = default;
};

/// LogGOPS' parameters in nanoseconds; the defaults are LogGOPSim's.
struct LogGops {
  double L = 2500;
  double o = 1500;
  double g = 1000;
  double G = 6;
  double O = 0;
  std::int64_t S = 65535; ///< the longest message that does not wait for its receive

  /// LogGOPSim's rules: the first byte costs nothing, and bytes are charged where a message is received. A
  /// message of no bytes is taken for one of one byte.
  MessageCost cost(std::int64_t bytes) const;
};

/// Reads "2500,1500,1000,6,0,65535" (L,o,g,G,O,S; later ones may be left out). Throws Error for anything
/// else, and for what is negative or beyond a second.
LogGops parse_loggops(std::string_view text);

/// A message's costs on a machine, at that distance. The same figures as the model's (model/step_costs.hpp):
/// the receiver begins when the last byte has come, and a network's link carries one message after another.
MessageCost message_cost(const machine::LevelCosts& level, std::int64_t bytes);

Ticks ticks_of(double seconds);

} // namespace thalweg::simulate
