// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which slot of a machine each task of a pattern is to have: the room's front door.

#include "place/options.hpp"

namespace thalweg::place {

/// Searches within a budget, and never answers with what is worse than identity by the goal.
/// Throws Error for a pattern without tasks or with more tasks than slots, slots that are no nodes of the
/// machine, links without capacity, base loads that are not one a link, and a budget below 0.
Result map(const pattern::Pattern& pattern, const machine::Allocation& allocation,
           const Options& options = {});

} // namespace thalweg::place
