#pragma once

// Slots on their way to a rank of the same node: many ranks append, the owner takes them out, in one order.
//
// An intrusive queue by links (Vyukov, "Intrusive MPSC node-based queue", 2010): to append takes one
// exchange, and never waits. Links are slots' places in the node's memory, in units of 64 bytes, as processes
// map it at different addresses; 0 is none.

#include "stream/slot.hpp"

namespace thalweg::streams {

class SlotQueue {
public:
  /// Before anybody uses it. `base` is the memory that places count from.
  void begin(std::byte* base) {
    const std::uint32_t stub = place_of(base, end_);
    last_.store(stub, std::memory_order_relaxed);
    first_ = stub;
  }

  void append(std::byte* base, Slot& slot) {
    slot.behind.store(0, std::memory_order_relaxed);
    const std::uint32_t place = place_of(base, slot);
    const std::uint32_t before = last_.exchange(place, std::memory_order_acq_rel);
    at(base, before).behind.store(place, std::memory_order_release);
  }

  /// The next slot, or null. The owner's.
  Slot* take(std::byte* base) {
    const std::uint32_t stub = place_of(base, end_);
    std::uint32_t first = first_;
    std::uint32_t second = at(base, first).behind.load(std::memory_order_acquire);
    if (first == stub) {
      if (second == 0)
        return nullptr;
      first_ = first = second;
      second = at(base, first).behind.load(std::memory_order_acquire);
    }
    if (second == 0) {
      // The only one, or somebody is about to link his behind it.
      if (first != last_.load(std::memory_order_acquire))
        return nullptr;
      append(base, end_);
      second = at(base, first).behind.load(std::memory_order_acquire);
      if (second == 0)
        return nullptr;
    }
    first_ = second;
    return &at(base, first);
  }

  /// Nothing to take, as far as one look tells. The owner's.
  bool is_empty(std::byte* base) const {
    return first_ == place_of(base, end_) && at(base, first_).behind.load(std::memory_order_acquire) == 0;
  }

private:
  static std::uint32_t place_of(const std::byte* base, const Slot& slot) {
    return static_cast<std::uint32_t>((reinterpret_cast<const std::byte*>(&slot) - base) /
                                      static_cast<std::ptrdiff_t>(sizeof(Slot)));
  }
  static Slot& at(std::byte* base, std::uint32_t place) { return reinterpret_cast<Slot*>(base)[place]; }
  static const Slot& at(const std::byte* base, std::uint32_t place) {
    return reinterpret_cast<const Slot*>(base)[place];
  }

  alignas(64) std::atomic<std::uint32_t> last_{0};
  alignas(64) std::uint32_t first_ = 0;
  Slot end_; ///< stands at the end of a queue that is empty
};

} // namespace thalweg::streams
