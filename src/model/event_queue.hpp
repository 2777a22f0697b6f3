#pragma once

// A queue of events for a simulation that never goes back in time: a radix heap (Ahuja, Mehlhorn, Orlin,
// Tarjan 1990). Events lie in buckets by the highest bit in which their time differs from the last one taken,
// so adding one is an append, and one moves down at most as often as a time has bits. Events of the same time
// come out in the order in which they went in.

#include "core/assertion.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace thalweg::model {

/// `Event` has a member `time`, a double from 0 on; no event may be earlier than the last one taken.
template <typename Event>
class EventQueue {
public:
  bool empty() const { return size_ == 0; }

  void push(const Event& event) {
    buckets_[bucket_of(event)].push_back(event);
    ++size_;
  }

  /// Takes the earliest event out; the queue must not be empty.
  Event pop() {
    THALWEG_ASSERT(normal, size_ > 0);
    if (taken_ == buckets_[0].size())
      refill();
    --size_;
    return buckets_[0][taken_++];
  }

private:
  // Doubles from 0 on are in the order of their bits.
  static std::uint64_t bits_of(const Event& event) { return std::bit_cast<std::uint64_t>(event.time); }
  std::size_t bucket_of(const Event& event) const {
    return static_cast<std::size_t>(std::bit_width(bits_of(event) ^ last_));
  }

  // Spreads the first bucket that has events over those below it, in their order.
  void refill() {
    buckets_[0].clear();
    taken_ = 0;
    const auto full = std::ranges::find_if(buckets_, [](const auto& bucket) { return !bucket.empty(); });
    last_ = bits_of(*std::ranges::min_element(*full, {}, bits_of));
    for (const Event& event : *full)
      buckets_[bucket_of(event)].push_back(event);
    full->clear();
  }

  std::array<std::vector<Event>, 65> buckets_;
  std::size_t taken_ = 0; // of the first bucket's
  std::size_t size_ = 0;
  std::uint64_t last_ = 0;
};

} // namespace thalweg::model
