// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What one rank's end of a stream has done, in a phase or in all of them. Slots are counted and not items, so
// an item costs nothing.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace thalweg::streams {

/// Why a slot was sent.
enum class Reason { full, flush, waited, finish };
inline constexpr std::size_t reasons = 4;

struct Statistics {
  std::array<std::uint64_t, reasons> slots{}; ///< sent, by Reason
  std::uint64_t near_bytes = 0;               ///< of items, with tags, sent to ranks of this node and itself
  std::uint64_t far_bytes = 0;                ///< to others
  std::uint64_t far_messages = 0;             ///< that carried them, and marks
  std::uint64_t slot_bytes = 0;               ///< that the slots with these items could have held
  std::uint64_t hops = 0;                     ///< items sent along links, if they are of one size
  std::uint64_t delivered_bytes = 0;          ///< of items that have come to their end
  std::uint64_t waits = 0;                    ///< for a slot
  std::uint64_t waited_ns = 0;                ///< for slots, while arriving items were handled
  std::uint64_t finish_ns = 0;                ///< from the phase's last call to its end
  std::uint64_t duration_ns = 0;              ///< since the end of the phase before
  std::uint64_t waves = 0;
  std::uint64_t phases = 0;
  std::size_t max_overflow_bytes = 0; ///< that handlers have sent and no slot was free for
  std::size_t max_memory_bytes = 0;   ///< of all slots that were touched

  Statistics& operator+=(const Statistics& other) {
    for (std::size_t reason = 0; reason < reasons; ++reason)
      slots[reason] += other.slots[reason];
    near_bytes += other.near_bytes;
    far_bytes += other.far_bytes;
    far_messages += other.far_messages;
    slot_bytes += other.slot_bytes;
    hops += other.hops;
    delivered_bytes += other.delivered_bytes;
    waits += other.waits;
    waited_ns += other.waited_ns;
    finish_ns += other.finish_ns;
    duration_ns += other.duration_ns;
    waves += other.waves;
    phases += other.phases;
    max_overflow_bytes = std::max(max_overflow_bytes, other.max_overflow_bytes);
    max_memory_bytes = std::max(max_memory_bytes, other.max_memory_bytes);
    return *this;
  }
};

} // namespace thalweg::streams
