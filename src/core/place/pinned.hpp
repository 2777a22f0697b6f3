// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Mappings in which the first task stays on the first slot. A job's first rank is known from outside: it
// alone reads what is typed, and files are written where it is.

#include "place/map.hpp"

namespace thalweg::place {

/// As map(), but task 0 keeps slot 0. What map() found is turned so that it does: nodes change places, or all
/// of a ring or torus moves on, whichever costs least; then swaps mend what that cost, within the rest of the
/// budget's time. Never worse than identity.
Result map_pinned(const pattern::Pattern& pattern, const machine::Allocation& allocation,
                  const Options& options = {});

} // namespace thalweg::place
