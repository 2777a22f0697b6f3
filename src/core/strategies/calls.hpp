// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Collectives as programs call them, by the names that selections use.

#include "strategies/strategy.hpp"

#include <span>

namespace thalweg::strategies {

/// A collective as programs call it, and the operation whose schedules do its work.
struct Call {
  std::string_view name;
  Operation operation;
  /// A variant of the operation's own call: selections for that call hold for this one too.
  bool is_variant = false;
  /// Blocks may differ in size, so strategies must support that.
  bool unequal_blocks = false;
};

/// Every call that can be selected for.
std::span<const Call> calls();
/// The call of that name, or null. "broadcast" and "bcast" are the same.
const Call* find_call(std::string_view name);

/// Can the strategy serve the call's blocks? Where only senders and receivers know sizes (gatherv, scatterv,
/// alltoallv) any can, as messages say how long their blocks are; else it must support unequal blocks.
bool supports(const Strategy& strategy, const Call& call);

} // namespace thalweg::strategies
