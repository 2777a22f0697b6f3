// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Tasks that outnumber the slots: first parts of alike weight, then parts onto slots, then tasks once more.

#include "place/options.hpp"

namespace thalweg::place {

/// What tasks take of their slots' time, and how evenly that is to be dealt out.
struct Sharing {
  std::vector<double> weights = {}; ///< of each task, from 0; empty: all alike
  /// By how much of the mean the heaviest slot may be above it, where the weights let it.
  double imbalance = 0.03;
};

/// As map(), but several tasks may get the same slot. The answer's `identity` is of tasks dealt out in the
/// order of their numbers, as many to each slot as its share of the weight. Never worse than that by the
/// goal, unless the heaviest slot of that is too heavy. Throws Error as map() does, and for weights that are
/// not one a task from 0, and for an imbalance below 0.
Result map_shared(const pattern::Pattern& pattern, const machine::Allocation& allocation,
                  const Sharing& sharing, const Options& options = {});

} // namespace thalweg::place
