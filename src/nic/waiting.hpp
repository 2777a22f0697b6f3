// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How ranks wait for their card, and when they take something for lost.

#include "nic/card.hpp"
#include "wait/policy.hpp"

#include <cstdint>
#include <functional>

namespace thalweg::nic {

/// Until something is said again, as it may be lost: longer each time.
struct Patience {
  std::uint64_t length_ns = 0;
  std::uint64_t due_ns = 0; ///< 0: not known before the first look in vain

  /// Asked with each look in vain. True each time that it has ended; then it begins anew.
  bool is_over();
};

/// Throws Error where the card is lost.
void throw_if_lost(Awaited& card);

/// Waits until `look` is true: polls, yields for a short while, and then sleeps until the card wakes it.
/// `has_come` says whether a look is worth it.
void wait_on(Awaited& card, const wait::Policy& policy, const std::function<bool()>& look,
             const std::function<bool()>& has_come);

} // namespace thalweg::nic
