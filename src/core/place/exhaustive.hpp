// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Few slots: all mappings, but for those of which a part already costs as much as the best one known.

#include "machine/allocation.hpp"
#include "pattern/matrix.hpp"
#include "place/budget.hpp"
#include "place/mapping.hpp"
#include "place/objectives.hpp"

#include <functional>
#include <vector>

namespace thalweg::place {

/// Up to so many slots all mappings are gone through.
inline constexpr std::size_t exhaustive_max = 10;

struct ExhaustiveProblem {
  const pattern::Pattern& pattern;
  const machine::Allocation& allocation;
  const Goal& goal;
  const Metrics& identity;
  const std::vector<double>& base_load;
  const LinkCosts& costs;
};

/// Shows `note` mappings of the tasks, each with a lower value() than the one before and than `below`, until
/// none is left or the budget is used up to `until`. Have all been gone through? What has slots, messages and
/// hops only adds to loads, so that a part of a mapping bounds the whole.
bool search_all(const ExhaustiveProblem& problem, double below, Budget& budget, double until,
                const std::function<void(const Slots&)>& note);

} // namespace thalweg::place
