// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank's slots for one dimension: those that it may fill, and those that are on their way.

#include "stream/slot.hpp"

#include <new>
#include <vector>

namespace thalweg::streams {

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
  void sent(Slot& slot) { sent_.push_back(&slot); }

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
