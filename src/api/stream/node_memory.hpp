// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The memory of a node's ranks: for each its mailboxes, its doorbell and its slots. All processes see the
// same layout.
//
// Slots on their way from one rank to another of the same node, in order: a ring of words, a word a slot. A
// mark that comes without items needs no slot: the word says it all, so one cache line goes from core to
// core.
//
// A ring has more words than its sender has slots, and a few more for marks, of which two may be on their
// way. So it is never full, and the sender looks at nothing. Words say in which lap they were written.
//
// Beside its mailbox a receiver has a window, for the slot that the sender still fills. The sender shows how
// far it has filled it: a word that it alone writes. So what was written is taken without the sender, which
// may compute for long. When the slot is sent, only the rest is taken. The window is emptied before a slot is
// sent: whoever finds the slot in the mailbox finds it in the window no more.

#include "base/assertion.hpp"
#include "stream/slot.hpp"
#include "thalweg/stream_links.h"
#include "transport/shm/doorbell.hpp"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace thalweg::streams {

/// What a word says.
struct Notice {
  std::uint32_t place = 0; ///< of the slot, in units of 64 bytes of the node's memory; 0: a mark alone
  std::uint8_t flags = 0;  ///< of the mark, as in SlotHead
  std::uint8_t phase = 0;
};

using MailboxWord = std::atomic<std::uint64_t>;

/// How many words a ring has, for a sender with so many slots.
inline std::uint32_t mailbox_words(std::uint32_t slots) {
  constexpr std::uint32_t marks = 4;
  return std::bit_ceil(slots + marks);
}

/// One end of a ring: its sender's or its receiver's.
class MailboxEnd {
public:
  MailboxEnd() = default;
  MailboxEnd(MailboxWord* words, std::uint32_t count) : words_(words), count_(count) {
    THALWEG_ASSERT(light, words != nullptr && std::has_single_bit(count));
  }

  void post(const Notice& notice) {
    THALWEG_ASSERT(normal, words_ != nullptr && notice.phase <= 1);
    const std::uint64_t word = std::uint64_t{notice.place} | std::uint64_t{notice.flags} << flags_at |
                               std::uint64_t{notice.phase} << phase_at | lap() << lap_at;
    words_[next_++ & (count_ - 1)].store(word, std::memory_order_release);
  }

  std::optional<Notice> take() {
    THALWEG_ASSERT(normal, words_ != nullptr);
    const std::uint64_t word = words_[next_ & (count_ - 1)].load(std::memory_order_acquire);
    if (word >> lap_at != lap())
      return std::nullopt;
    ++next_;
    return Notice{static_cast<std::uint32_t>(word), static_cast<std::uint8_t>(word >> flags_at),
                  static_cast<std::uint8_t>(word >> phase_at & 1)};
  }

private:
  static constexpr int flags_at = 32;
  static constexpr int phase_at = 40;
  static constexpr int lap_at = 63;

  /// 1 in the first lap, as memory begins with zeros, then 0 and 1 in turns.
  std::uint64_t lap() const { return (next_ / count_ & 1) ^ 1; }

  MailboxWord* words_ = nullptr;
  std::uint32_t count_ = 1;
  std::uint32_t next_ = 0;
};

/// What a window shows: nothing where the place is 0.
struct WindowContent {
  std::uint32_t place = 0; ///< of the slot, as in Notice
  std::uint8_t phase = 0;
  std::uint32_t bytes = 0; ///< that are there

  static constexpr int phase_at = 31;
  static constexpr int place_at = 32;
  static std::uint64_t word(std::uint32_t place, std::uint8_t phase) {
    THALWEG_ASSERT(normal, place != 0 && phase <= 1);
    return std::uint64_t{place} << place_at | std::uint64_t{phase} << phase_at;
  }
  static WindowContent of(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word >> place_at), static_cast<std::uint8_t>(word >> phase_at & 1),
            static_cast<std::uint32_t>(word & ((std::uint64_t{1} << phase_at) - 1))};
  }
};

/// What comes to a rank from another one of its node along a dimension: slots that were sent, and the one
/// that the sender still fills.
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
    const std::uint32_t before = taken_of(where);
    place = taken = 0;
    return before;
  }
  /// How many bytes of the slot there were taken before.
  std::uint32_t taken_of(std::uint32_t where) const { return place == where ? taken : 0; }
};

class NodeMemory {
public:
  /// `slots[d]`: how many slots a rank has for dimension d, and last for quiescence checks, of `slot_bytes`
  /// bytes of items each.
  NodeMemory(std::int32_t near_ranks, std::vector<std::uint32_t> slots, std::uint32_t slot_bytes);

  std::size_t bytes() const;
  /// Of these, the ones that every stream uses.
  std::uint32_t slot_bytes() const { return slot_bytes_; }
  std::uint32_t slots(std::uint32_t dimension) const { return slots_[dimension]; }
  std::size_t stride() const { return sizeof(Slot) + slot_bytes_ + THALWEG_STREAM_AHEAD; }

  /// `base`: zeros, aligned to cache lines. Each rank begins its own part before others come to know of it.
  void begin(std::byte* base, std::int32_t near_rank) const;
  /// As it was when the rank began, and its pages given back; nobody looks at it any more.
  void renew(std::byte* base, std::int32_t near_rank) const;

  /// An end of the mailbox of what comes to a rank from another one along a dimension.
  MailboxEnd mailbox(std::byte* base, std::int32_t receiver, std::int32_t sender,
                     std::uint32_t dimension) const;
  /// Where the sender shows what is in the slot that it fills; 0: nothing.
  std::atomic<std::uint64_t>& window(std::byte* base, std::int32_t receiver, std::int32_t sender,
                                     std::uint32_t dimension) const;
  transport::Doorbell& doorbell(std::byte* base, std::int32_t near_rank) const;
  std::byte* first_slot(std::byte* base, std::int32_t near_rank, std::uint32_t dimension) const;

  static std::uint32_t place_of(const std::byte* base, const Slot& slot) {
    return static_cast<std::uint32_t>((reinterpret_cast<const std::byte*>(&slot) - base) /
                                      static_cast<std::ptrdiff_t>(sizeof(Slot)));
  }
  static Slot& at(std::byte* base, std::uint32_t place) { return reinterpret_cast<Slot*>(base)[place]; }

private:
  std::size_t mailbox_bytes(std::uint32_t dimension) const;
  std::byte* mailbox_at(std::byte* base, std::int32_t receiver, std::int32_t sender,
                        std::uint32_t dimension) const;
  std::size_t mailboxes_bytes() const;
  std::byte* part(std::byte* base, std::int32_t near_rank) const;
  std::size_t part_bytes() const;

  std::int32_t near_ranks_;
  std::vector<std::uint32_t> slots_;
  std::uint32_t slot_bytes_;
};

} // namespace thalweg::streams
