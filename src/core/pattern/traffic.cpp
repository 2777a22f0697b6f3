// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/traffic.hpp"

#include <algorithm>
#include <bit>

namespace thalweg::pattern {

std::int32_t size_class(std::int64_t bytes) {
  return bytes <= 0 ? 0 : 1 + std::bit_width(static_cast<std::uint64_t>(bytes - 1));
}

TrafficClass traffic_class(const Traffic& all_ranks, std::int64_t calls, std::int32_t ranks) {
  const std::int64_t messages = std::max<std::int64_t>(1, all_ranks.messages);
  const std::int64_t senders = std::max<std::int64_t>(1, calls * ranks);
  return {size_class(all_ranks.bytes / messages), size_class(all_ranks.messages / senders)};
}

std::int64_t bytes_per_pair(const Traffic& all_ranks, std::int64_t calls, std::int32_t ranks) {
  const std::int64_t pairs = std::max<std::int64_t>(1, calls * ranks) * std::max(1, ranks - 1);
  return all_ranks.bytes / pairs;
}

double degree(const Traffic& all_ranks, std::int64_t calls, std::int32_t ranks) {
  return static_cast<double>(all_ranks.messages) /
         static_cast<double>(std::max<std::int64_t>(1, calls * ranks));
}

} // namespace thalweg::pattern
