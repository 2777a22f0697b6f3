// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Buffers of items: filled in place by their owner, read in place by whoever they are for, and free again
// when he says so.

#include "base/assertion.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

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

  /// flags
  static constexpr std::uint8_t closes = 1; ///< the sender's last one of this wave for this receiver
  static constexpr std::uint8_t was_active =
      2; ///< something was sent or failed before the wave, or since then
  static constexpr std::uint8_t has_failed = 4; ///< a handler has: the bytes are its text
  static constexpr std::uint8_t has_seen = 8;   ///< the bytes are a PhaseMeasurement
  static constexpr int round_at = 4;            ///< of a quiescence check: the bits from here on

  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
  /// And not what the ranks tell each other at the end of a phase, in a mesh of so many dimensions.
  bool carries_items(std::uint32_t dimensions) const { return dimension < dimensions && !has(has_failed); }
};
static_assert(sizeof(SlotHead) == 16);

struct alignas(64) Slot {
  std::atomic<std::uint32_t> is_free{0}; ///< its owner may fill it again
  std::byte unused[64 - 4 - sizeof(SlotHead)];
  SlotHead head;

  std::byte* items() { return reinterpret_cast<std::byte*>(this + 1); }
  const std::byte* items() const { return reinterpret_cast<const std::byte*>(this + 1); }
  /// What travels between nodes begins here.
  std::byte* wire() { return reinterpret_cast<std::byte*>(&head); }
  std::size_t wire_bytes() const { return sizeof(SlotHead) + head.bytes; }
};
static_assert(sizeof(Slot) == 64);

/// A rank's slots for one dimension: those that it may fill, and those that are on their way.
class SlotPool {
public:
  SlotPool(std::byte* first, std::size_t stride, std::uint32_t count)
      : first_(first), stride_(stride), untouched_(count), count_(count) {}

  /// A slot to fill, or null where none is free. What was used last is warm, and taken first; pages are
  /// touched only when all others are in use.
  Slot* take() {
    if (free_.empty())
      reclaim();
    if (free_.empty() && untouched_ > 0)
      free_.push_back(new (first_ + (count_ - untouched_--) * stride_) Slot);
    if (free_.empty())
      return nullptr;
    Slot* const slot = free_.back();
    free_.pop_back();
    slot->is_free.store(0, std::memory_order_relaxed);
    return slot;
  }
  void sent(Slot& slot) {
    THALWEG_ASSERT(normal, owns(slot));
    sent_.push_back(&slot);
  }

  /// How many slots have ever been filled.
  std::uint32_t touched() const { return count_ - untouched_; }

  bool has_free() const {
    if (!free_.empty() || untouched_ > 0)
      return true;
    for (const Slot* slot : sent_)
      if (slot->is_free.load(std::memory_order_acquire) != 0)
        return true;
    return false;
  }

private:
  bool owns(const Slot& slot) const {
    const auto at = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&slot) - first_);
    return at < count_ * stride_ && at % stride_ == 0;
  }
  void reclaim() {
    std::size_t kept = 0;
    for (Slot* slot : sent_)
      if (slot->is_free.load(std::memory_order_acquire) != 0)
        free_.push_back(slot);
      else
        sent_[kept++] = slot;
    sent_.resize(kept);
  }

  std::byte* first_;
  std::size_t stride_;
  std::uint32_t untouched_;
  std::uint32_t count_;
  std::vector<Slot*> free_;
  std::vector<Slot*> sent_;
};

} // namespace thalweg::streams
