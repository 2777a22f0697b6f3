// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// When ranks came to calls and when they left, apart: what they waited for each other, and what the call
// took.

#include <algorithm>
#include <cstdint>

namespace thalweg::pattern {

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
