// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Search for a mapping with little load on the most loaded links.

#include "place/annealing.hpp"
#include "place/goal.hpp"
#include "place/link_energy.hpp"

#include <functional>

namespace thalweg::place {

/// The layers and the weight of hops that stand for a goal, of which identity's metrics are known.
struct LinkGoal {
  std::vector<Layer> layers;
  double hop_weight = 0;
};
LinkGoal link_goal(const Goal& goal, const pattern::Pattern& pattern, const Metrics& identity,
                   const LinkCosts& costs);

/// What a search for loads begins with, and whom it shows what it finds.
struct LinkSearch {
  LinkEnergy& state;
  Proposals& proposals;
  const Regions* regions; ///< whose contents may change places; null: tasks are swapped alone
  Random& random;
  Budget& budget;
  std::function<void()> note; ///< looks at the state's mapping
};

/// Anneals with a norm of growing exponent, proposals aimed at the hottest links, until the budget is used up
/// to `until`; again and again where there is time, longer each time, and hot every other time. Each of them
/// ends with a descent, and is noted.
void search_links(LinkSearch search, double until);

} // namespace thalweg::place
