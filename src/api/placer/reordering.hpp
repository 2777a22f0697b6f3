// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A communicator's ranks in a better order, found by the first rank for all.

#include "job/library/group.hpp"
#include "thalweg/place.h"

#include <span>
#include <vector>

namespace thalweg::place {

struct Reordering {
  Rank new_rank = 0; ///< of this process
  thalweg_reordering found{};
};

/// Throws Error on all ranks for what one gives wrong. Collective over the group.
Reordering reorder(const job::Group& group, std::span<const thalweg_weight> weights,
                   const thalweg_reorder_options& options);

} // namespace thalweg::place
