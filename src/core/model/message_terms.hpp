// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The terms of closed forms: what messages between equally distant ranks cost.

#include "machine/machine.hpp"

#include <cstdint>

namespace thalweg::model {

/// What is done with a message's bytes beyond sending it.
enum class Handling : std::uint8_t {
  plain,   ///< nothing: it is one piece of memory on both sides
  packed,  ///< copied together before and apart after it (Kumar's gamma)
  combined ///< what comes is combined with what is there
};

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
    double send = 0;    // processor
    double receive = 0; // processor
    double transfer = 0;
    double latency = 0;
    double apart = 0; // the gap, or how long a link is held
  };
  Parts parts(std::int64_t bytes, Handling handling) const;

  const machine::Machine& machine_;
  const machine::LevelCosts& costs_;
};

} // namespace thalweg::model
