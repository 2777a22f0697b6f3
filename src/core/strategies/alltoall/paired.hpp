// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the direct all-to-alls share: each block goes straight from its source to its destination.

#include "strategies/pacing.hpp"

namespace thalweg::strategies::alltoall {

/// The own block's copy, then the exchanges in the order and at the pace given.
void append_direct(Builder& b, std::span<const Exchange> order, Pace pace);

} // namespace thalweg::strategies::alltoall
