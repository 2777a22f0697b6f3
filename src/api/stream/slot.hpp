// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A buffer of items: filled in place by its owner, read in place by whoever it is for.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace thalweg::streams {

/// What a buffer says of itself. It travels before the items.
struct SlotHead {
  std::uint32_t bytes = 0;    ///< of items, or of the text of a failure
  std::int32_t source = -1;   ///< the rank that sends it
  std::uint8_t dimension = 0; ///< that it travels along, or ItemRoute::quiescence_dimension()
  std::uint8_t phase = 0;     ///< of the sender, modulo 2
  std::uint8_t flags = 0;
  std::uint8_t unused = 0;
  std::int32_t failed_rank = -1; ///< whose handler failed first, as far as the sender knows

  // flags
  static constexpr std::uint8_t closes = 1; ///< the sender's last one of this wave for this receiver
  static constexpr std::uint8_t was_active =
      2; ///< something was sent or failed before the wave, or since then
  static constexpr std::uint8_t has_failed = 4; ///< a handler has: the bytes are its text
  static constexpr std::uint8_t has_seen = 8;   ///< the bytes are a PhaseSeen
  static constexpr int round_at = 4;            ///< of a quiescence check: the bits from here on
};
static_assert(sizeof(SlotHead) == 16);

struct alignas(64) Slot {
  std::atomic<std::uint32_t> is_free{0}; ///< its owner may fill it again
  std::byte unused[64 - 4 - sizeof(SlotHead)];
  SlotHead head;

  std::byte* items() { return reinterpret_cast<std::byte*>(this + 1); }
  /// What travels between nodes begins here.
  std::byte* wire() { return reinterpret_cast<std::byte*>(&head); }
  std::size_t wire_bytes() const { return sizeof(SlotHead) + head.bytes; }
};
static_assert(sizeof(Slot) == 64);

} // namespace thalweg::streams
