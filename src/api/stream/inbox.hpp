// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What comes to a rank from another one of its node along a dimension: slots that were sent, and the one that
// the sender still fills.
//
// The sender shows how far it has filled it, in the inbox's window: a word that it alone writes. So what was
// written is taken without the sender, which may compute for long. When the slot is sent, only the rest is
// taken. The window is emptied before a slot is sent: whoever finds the slot in the mailbox finds it in the
// window no more.

#include "stream/mailbox.hpp"

#include <atomic>
#include <cstdint>

namespace thalweg::streams {

/// What a window shows: nothing where the place is 0.
struct Shown {
  std::uint32_t place = 0; ///< of the slot, as in Notice
  std::uint8_t phase = 0;
  std::uint32_t bytes = 0; ///< that are there

  static constexpr int phase_at = 31;
  static constexpr int place_at = 32;
  static std::uint64_t word(std::uint32_t place, std::uint8_t phase) {
    return std::uint64_t{place} << place_at | std::uint64_t{phase} << phase_at;
  }
  static Shown of(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word >> place_at), static_cast<std::uint8_t>(word >> phase_at & 1),
            static_cast<std::uint32_t>(word & ((std::uint64_t{1} << phase_at) - 1))};
  }
};

struct Inbox {
  MailboxEnd mailbox;
  const std::atomic<std::uint64_t>* window = nullptr;
  std::uint32_t place = 0;   ///< of the slot that was taken in part
  std::uint32_t taken = 0;   ///< bytes of it
  std::uint32_t watched = 0; ///< a place: 0 from when the slot there is in the mailbox

  /// A slot has been sent: how many of its bytes were taken before.
  std::uint32_t sent(std::uint32_t where) {
    if (watched == where)
      watched = 0;
    const std::uint32_t before = place == where ? taken : 0;
    place = taken = 0;
    return before;
  }
};

} // namespace thalweg::streams
