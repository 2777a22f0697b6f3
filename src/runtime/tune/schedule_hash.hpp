// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which candidates do the same: equal schedules have equal hashes.

#include "schedule/schedule.hpp"

#include <compare>
#include <span>

namespace thalweg::tune {

/// 128 bits, so that two of a million different schedules meet with a probability below 2^-88.
struct ScheduleHash {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  auto operator<=>(const ScheduleHash&) const = default;
};

/// Of what the schedules do, in their order.
ScheduleHash hash(std::span<const schedule::Schedule> schedules);

} // namespace thalweg::tune
