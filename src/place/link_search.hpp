#pragma once

// Search for a mapping with little load on the most loaded links.

#include "place/annealing.hpp"
#include "place/goal.hpp"
#include "place/link_energy.hpp"

namespace thalweg::place {

/// The layers and the weight of hops that stand for a goal, of which identity's metrics are known.
struct LinkGoal {
  std::vector<Layer> layers;
  double hop_weight = 0;
};
LinkGoal link_goal(const Goal& goal, const pattern::Pattern& pattern, const Metrics& identity,
                   const LinkCosts& costs);

/// Anneals with a norm of growing exponent, proposals aimed at the hottest links, until the budget is used up
/// to `until`; then descends.
void search_links(LinkEnergy& state, Proposals& proposals, Random& random, Budget& budget, double until);

} // namespace thalweg::place
