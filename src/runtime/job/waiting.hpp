// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How ranks of a job wait for one another, wherever they wait in a call of ours.

#include "wait/policy.hpp"

#include <algorithm>

namespace thalweg::job {

/// The policy of a group whose ranks are, or are not, more than the cores that they run on.
inline wait::Policy wait_policy(const wait::Settings& settings, bool oversubscribed) {
  wait::Policy policy;
  policy.settings = settings;
  // Ranks that combine long vectors keep a core for some hundred microseconds: that is no reason to sleep.
  policy.settings.long_yield_us = 1500;
  if (oversubscribed)
    policy.polls = 6;
  else
    policy.settings.poll_us = std::max(policy.settings.poll_us, 5U);
  return policy;
}

} // namespace thalweg::job
