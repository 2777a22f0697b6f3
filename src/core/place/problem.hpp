// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What is a problem of placement.

#include "machine/allocation.hpp"
#include "pattern/matrix.hpp"

#include <vector>

namespace thalweg::place {

/// Throws Error for a pattern without tasks or with more tasks than slots, slots that are no nodes of the
/// machine, links without capacity, and base loads that are not one a link.
void check_problem(const pattern::Pattern& pattern, const machine::Allocation& allocation,
                   const std::vector<double>& base_load);

} // namespace thalweg::place
