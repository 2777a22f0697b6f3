// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The memory of a node's ranks: for each its mailboxes, its doorbell and its slots. All processes see the
// same layout.

#include "stream/mailbox.hpp"
#include "thalweg/stream_links.h"
#include "transport/shm/doorbell.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thalweg::streams {

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
