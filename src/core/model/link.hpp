// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

namespace thalweg::model {

/// A link that carries one message after another. After a pause it lets a burst through at once, as a token
/// bucket does.
class Link {
public:
  /// The time at which a message that comes at `time` has passed, when it holds the link for `service`;
  /// messages must come in order of time.
  double pass(double time, double service, double burst) {
    free_ = std::max(free_, time - burst) + service;
    return std::max(time, free_);
  }

private:
  // As if an earlier collective had just ended: whatever bucket the link has is empty.
  double free_ = 0;
};

} // namespace thalweg::model
