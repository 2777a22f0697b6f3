// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A queue of events for a simulation that never goes back in time: a radix heap (Ahuja, Mehlhorn, Orlin,
// Tarjan 1990). Events lie in buckets by the highest bit in which their time differs from the last one taken,
// so adding one is an append, and one moves down at most as often as a time has bits. Events of the same time
// come out in the order in which they went in, or in that of their member `order` where they have one. The
// model's walk (event_simulation.hpp) and room simulate both run on it.

#include "base/assertion.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace thalweg::model {

/// `Event` has a member `time`, a double or an unsigned integer from 0 on; no event may be earlier than the
/// last one taken. Its member `order`, if it has one, decides among events of the same time.
template <typename Event>
class EventQueue {
public:
  using Time = decltype(Event::time);

  bool empty() const { return size_ == 0; }

  void push(const Event& event) {
    THALWEG_ASSERT(normal, bits_of(event) >= last_);
    const std::size_t bucket = bucket_of(event);
    ++size_;
    if constexpr (is_ordered)
      if (bucket == 0) {
        insert(event);
        return;
      }
    add(bucket, event);
  }

  /// The time of the earliest event; the queue must not be empty. Earlier ones may still be put in.
  Time next_time() {
    THALWEG_ASSERT(normal, size_ > 0);
    if (taken_ < buckets_[0].size())
      return buckets_[0][taken_].time;
    if (next_ == unknown)
      next_ = bits_of(*std::ranges::min_element(buckets_[first_full()], {}, bits_of));
    return std::bit_cast<Time>(next_);
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
  static constexpr std::uint64_t unknown = UINT64_MAX;
  static constexpr bool is_ordered = requires(const Event& event) { event.order; };

  std::size_t first_full() const { return static_cast<std::size_t>(std::countr_zero(full_)) + 1; }
  /// Doubles from 0 on are in the order of their bits.
  static std::uint64_t bits_of(const Event& event) { return std::bit_cast<std::uint64_t>(event.time); }
  std::size_t bucket_of(const Event& event) const {
    return static_cast<std::size_t>(std::bit_width(bits_of(event) ^ last_));
  }
  void add(std::size_t bucket, const Event& event) {
    buckets_[bucket].push_back(event);
    if (bucket == 0)
      return;
    full_ |= std::uint64_t{1} << (bucket - 1);
    if (next_ != unknown)
      next_ = std::min(next_, bits_of(event));
  }

  /// Among those of the present time that are still to come; nearly always behind them.
  void insert(const Event& event) {
    std::vector<Event>& now = buckets_[0];
    if (now.size() == taken_ || now.back().order < event.order) {
      now.push_back(event);
      return;
    }
    const auto begin = now.begin() + static_cast<std::ptrdiff_t>(taken_);
    now.insert(std::ranges::upper_bound(begin, now.end(), event.order, {}, &Event::order), event);
  }

  /// Spreads the first bucket that has events over those below it, in their order.
  void refill() {
    buckets_[0].clear();
    taken_ = 0;
    const std::size_t first = first_full();
    full_ &= full_ - 1;
    next_ = unknown;
    std::vector<Event>& spread = buckets_[first];
    last_ = bits_of(*std::ranges::min_element(spread, {}, bits_of));
    if (first == 1)
      std::swap(buckets_[0], spread); // they are all of one time
    else
      for (const Event& event : spread)
        add(bucket_of(event), event);
    spread.clear();
    if constexpr (is_ordered)
      if (!std::ranges::is_sorted(buckets_[0], {}, &Event::order))
        std::ranges::sort(buckets_[0], {}, &Event::order);
  }

  std::array<std::vector<Event>, 65> buckets_;
  std::uint64_t full_ = 0; ///< the buckets that have events, but for the first
  std::size_t taken_ = 0;  ///< of the first bucket's
  std::size_t size_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t next_ = unknown; ///< of those that are not in the first bucket; where somebody asked for it
};

} // namespace thalweg::model
