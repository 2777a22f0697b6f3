// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What no mapping of a pattern beats, and is found at once: each task has its own slots' part of the traffic,
// wherever it is. Tasks have slots of their own.

#include "machine/allocation.hpp"
#include "pattern/matrix.hpp"

namespace thalweg::place {

/// Of the most loaded link, all phases at once: what a task sends or receives crosses its node's own links,
/// but for what the tasks beside it may have of it. O(messages log messages + links).
double injection_bound(const pattern::Pattern& pattern, const machine::Allocation& allocation);

/// Of hop-bytes: each task's heaviest partners have the nearest slots, at best those of the slot that has the
/// nearest. With more than 2000 slots those on other nodes are a hop apart. O(slots^2 log slots).
double near_bound(const pattern::Pattern& pattern, const machine::Allocation& allocation);

} // namespace thalweg::place
