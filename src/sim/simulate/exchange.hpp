// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Programs of messages in rounds: what a recording says of a phase, or a halo that is exchanged.

#include "simulate/goal_reader.hpp"

#include <span>

namespace thalweg::simulate {

struct RoundMessage {
  Rank from = 0;
  Rank to = 0;
  std::int64_t bytes = 0;
  std::uint32_t round = 0;
};

/// In each round a rank sends and awaits all its messages of that round, in the order in which they are
/// given; when they have been sent and have come, its next round begins. What a rank sends itself is left
/// out. Throws Error for ranks that do not exist, and for sizes below 0. O(messages log messages).
Program exchange_program(std::int64_t ranks, std::span<const RoundMessage> messages, const CostBetween& cost);

} // namespace thalweg::simulate
