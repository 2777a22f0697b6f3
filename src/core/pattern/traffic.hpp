// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a program's communication looks like, in the figures that decide between strategies: to how many a
// rank sends, how much, among how many ([delta, m, P] of Kumar 2005, section 6.4). And when ranks came to
// calls and when they left, apart: what they waited for each other, and what the call took.

#include "base/assertion.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>

namespace thalweg::pattern {

/// What ranks hand to a call.
struct Traffic {
  std::int64_t messages = 0; ///< to other ranks that are not empty
  std::int64_t bytes = 0;    ///< all of them together

  Traffic& operator+=(const Traffic& other) {
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
};

/// The mean of what goes in a message that is not empty; bytes.
inline std::int64_t bytes_per_message(const Traffic& all_ranks) {
  return all_ranks.bytes / std::max<std::int64_t>(1, all_ranks.messages);
}

/// Sizes that are alike for choosing: 0, and up to each power of two.
inline std::int32_t size_class(std::int64_t bytes) {
  return bytes <= 0 ? 0 : 1 + std::bit_width(static_cast<std::uint64_t>(bytes - 1));
}

/// Traffic that is alike for choosing, by its classes.
struct TrafficClass {
  std::int32_t size = 0;   ///< of the mean message
  std::int32_t degree = 0; ///< of the mean number of messages of a rank

  auto operator<=>(const TrafficClass&) const = default;
};

/// The class of the traffic of so many calls on a communicator of so many ranks.
inline TrafficClass traffic_class(const Traffic& all_ranks, std::int64_t calls, std::int32_t ranks) {
  THALWEG_ASSERT(light, all_ranks.messages >= 0 && all_ranks.bytes >= 0 && calls >= 0 && ranks >= 0);
  const std::int64_t senders = std::max<std::int64_t>(1, calls * ranks);
  return {size_class(bytes_per_message(all_ranks)), size_class(all_ranks.messages / senders)};
}

/// To how many others a rank sends something in a call, in the mean.
inline double degree(const Traffic& all_ranks, std::int64_t calls, std::int32_t ranks) {
  return static_cast<double>(all_ranks.messages) /
         static_cast<double>(std::max<std::int64_t>(1, calls * ranks));
}

/// One call, over all ranks; seconds of a clock that all share.
struct Visit {
  double first_arrival = 0;
  double last_arrival = 0;
  double last_departure = 0;

  double skew() const { return std::max(0.0, last_arrival - first_arrival); }
  /// What the call took once everybody was there. Clocks of different nodes may be apart by more than that.
  double transfer() const { return std::max(0.0, last_departure - last_arrival); }
};

/// Sums over calls.
struct Arrivals {
  std::uint64_t calls = 0;
  double skew_seconds = 0;
  double transfer_seconds = 0;

  void add(const Visit& visit) {
    ++calls;
    skew_seconds += visit.skew();
    transfer_seconds += visit.transfer();
  }
};

} // namespace thalweg::pattern
