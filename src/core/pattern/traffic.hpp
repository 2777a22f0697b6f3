// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a program's communication looks like, in the figures that decide between strategies: to how many a
// rank sends, how much, among how many ([delta, m, P] of Kumar 2005, section 6.4).

#include <cstdint>
#include <functional>

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

/// Sizes that are alike for choosing: 0, and up to each power of two.
std::int32_t size_class(std::int64_t bytes);

/// Traffic that is alike for choosing, by its classes.
struct TrafficClass {
  std::int32_t size = 0;   ///< of the mean message
  std::int32_t degree = 0; ///< of the mean number of messages of a rank

  auto operator<=>(const TrafficClass&) const = default;
};

/// The class of the traffic of so many calls on a communicator of so many ranks.
TrafficClass traffic_class(const Traffic& all_ranks, std::int64_t calls, std::int32_t ranks);

/// The mean of what each pair of ranks exchanges in a call, whether it exchanges anything or not; bytes.
std::int64_t bytes_per_pair(const Traffic& all_ranks, std::int64_t calls, std::int32_t ranks);

/// To how many others a rank sends something in a call, in the mean.
double degree(const Traffic& all_ranks, std::int64_t calls, std::int32_t ranks);

} // namespace thalweg::pattern
