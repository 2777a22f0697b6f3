// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What programs have found best, from phase to phase, for what is no collective (evidence/phase_tuner.hpp).

#include <cstdint>
#include <string>

namespace thalweg::tune {

/// What was found best for streams of such items, where ranks send so much in a phase.
struct StreamPick {
  std::int64_t item_bytes = 0;  ///< of an item; 0: they differ
  std::int64_t phase_bytes = 0; ///< of a rank's items in a phase
  std::int32_t ranks = 0;
  std::string shape; ///< "direct", or the sides of a mesh: "4x8"
  std::int64_t buffer_bytes = 0;
  double seconds = 0; ///< of a phase

  bool is_same_case(const StreamPick& other) const {
    return item_bytes == other.item_bytes && ranks == other.ranks && phase_bytes == other.phase_bytes;
  }
};

/// What was found best for the brackets of objects, where ranks send so much in an iteration.
struct BracketPick {
  std::int32_t ranks = 0;
  std::int64_t messages = 0;      ///< of a rank: from so many on, and up to twice as many
  std::int64_t message_bytes = 0; ///< of a message, likewise
  bool is_multicast = false;      ///< most bytes are for several ranks each
  std::string use;                ///< the strategy: "mesh"
  double seconds = 0;             ///< of an iteration, with all that runs meanwhile

  bool is_same_case(const BracketPick& other) const {
    return ranks == other.ranks && messages == other.messages && message_bytes == other.message_bytes &&
           is_multicast == other.is_multicast;
  }
};

} // namespace thalweg::tune
