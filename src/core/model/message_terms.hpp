// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The terms of closed forms: what messages between equally distant ranks cost, and many-to-many exchanges of
// them.

#include "machine/machine.hpp"

#include <cstdint>
#include <span>

namespace thalweg::model {

/// What is done with a message's bytes beyond sending it.
enum class Handling : std::uint8_t {
  plain,   ///< nothing: it is one piece of memory on both sides
  packed,  ///< copied together before and apart after it (Kumar's gamma)
  combined ///< what comes is combined with what is there
};

/// What messages between ranks cost that are a level of the machine apart.
class MessageTerms {
public:
  MessageTerms(const machine::Machine& machine, machine::Level level);

  /// From the begin of sending until the receiver, who has posted before, is done.
  double hop(std::int64_t bytes, Handling handling = Handling::plain) const;
  /// The least time between two messages that leave a rank: its processor's, its gap or its link's.
  double interval(std::int64_t bytes, Handling handling = Handling::plain) const;
  /// A round in which every rank sends `messages` of that size and gets as many.
  double round(std::int64_t messages, std::int64_t bytes, Handling handling = Handling::plain) const;
  /// Of a receiver's processor, for a message that is there.
  double taking(std::int64_t bytes, Handling handling = Handling::plain) const;
  /// The least time between two messages that come to a rank: its gap, or how long one holds the link.
  double apart(std::int64_t bytes) const { return parts(bytes, Handling::plain).apart; }
  /// The least time between two segments that pass through a rank, which receives and sends each.
  double passing(std::int64_t bytes, Handling handling = Handling::plain) const;
  double copy(std::int64_t bytes) const;

private:
  struct Parts {
    double send = 0;    ///< processor
    double receive = 0; ///< processor
    double transfer = 0;
    double latency = 0;
    double apart = 0;  ///< the gap, or how long a link is held
    double posted = 0; ///< of the receiver's processor for each further receive that is posted
  };
  Parts parts(std::int64_t bytes, Handling handling) const;

  const machine::Machine& machine_;
  const machine::LevelCosts& costs_;
};

/// A processor's time for a hop of a stream's item, sending and receiving together: measured by
/// `thalweg bench streams` with 8 and 32 bytes, ranks of one node.
inline double item_hop_seconds(double bytes) {
  constexpr double each = 1e-9;
  constexpr double per_byte = 0.18e-9;
  return each + per_byte * bytes;
}

/// What a rank sends, or receives, of other ranks' data.
struct Volume {
  double messages = 0; ///< one for each other rank
  double bytes = 0;    ///< of all of them
};

/// What a many-to-many exchange takes where each rank sends to some others only (Kumar 2005, section 3.3.1):
/// by the number of ranks that one sends to, the bytes of a message and the ranks that take part.
///
///              distinct messages                          multicasts
///   direct     delta (alpha + m beta)            (3.20)   delta (alpha + m beta)            (3.24)
///   2-D mesh   2 sqrt(P) alpha + 2 delta m beta  (3.17)   2 sqrt(P) alpha + delta m beta    (3.21)
///   3-D mesh   3 cbrt(P) alpha + 3 delta m beta  (3.18)   3 cbrt(P) alpha + delta m beta    (3.22)
///   hypercube  log2(P) (alpha + delta m beta)    (3.19)   log2(P) alpha + delta m beta      (3.23)
///
/// In a mesh the number of messages is fixed, as ranks without data send empty ones. Here the sides may be
/// any. A multicast goes to several ranks: it is one message to all of them that is copied where their ways
/// part, so in a mesh each byte counts once, and not once for each dimension. That is exact where nearly all
/// ranks are called. With few the ways part early, and a mesh takes up to what distinct messages take.
///
/// A dimension of side k then has k - 1 messages for each rank, which carry all but one k-th of what it
/// holds: half of it in a hypercube, where the equation has all. Alpha and beta are those of MessageTerms,
/// with packing.
///
/// The equations are for uniform patterns. Others are bounded by their busiest ranks: as many messages as the
/// busiest sends or receives, if they go directly; the busiest sender's bytes in the first dimension of a
/// mesh and the busiest receiver's in the last one.
struct ManyToMany {
  Volume mean;           ///< of all ranks; as much is sent as is received
  Volume busiest_sender; ///< the most messages and the most bytes, of different ranks maybe
  Volume busiest_receiver;
  double multicast = 0; ///< the part of the bytes that goes to several ranks each
};

/// Seconds, along a virtual mesh with these sides; one side: directly.
double many_to_many_seconds(const MessageTerms& terms, std::span<const std::int32_t> sides,
                            const ManyToMany& pattern);

} // namespace thalweg::model
