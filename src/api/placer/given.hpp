// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a program gives to a reordering, checked by its own rank, and what all ranks make of that.

#include "job/mpi/agreement.hpp"
#include "place/goal.hpp"
#include "thalweg/place.h"

#include <span>
#include <string>

namespace thalweg::place {

/// With what is usual where nothing was said.
struct Given {
  Goal goal;
  double seconds = 0;
  double gain = 0;
  std::string network;
  std::string node_list;
};

/// Throws Error on all ranks for weights and options that cannot be, of whichever rank, and for options that
/// are not the same on all. Collective.
Given agree_on_given(const job::Agreement& everybody, std::span<const thalweg_weight> weights,
                     const thalweg_reorder_options& options);

} // namespace thalweg::place
