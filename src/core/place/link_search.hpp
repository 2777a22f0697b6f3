// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Loads of links: search for a mapping with little on the most loaded ones, what loads a link, and which swap
// would relieve the hottest.

#include "machine/allocation.hpp"
#include "pattern/matrix.hpp"
#include "place/annealing.hpp"
#include "place/link_energy.hpp"
#include "place/objectives.hpp"

#include <functional>
#include <optional>

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

/// What pairs of tasks send over a link, the most first. O(messages * hops).
std::vector<pattern::Edge> messages_over(topology::Link link, const pattern::Matrix& matrix,
                                         const machine::Allocation& allocation, const Slots& slot_of);

/// A task that changes its slot with whoever is there.
struct Relief {
  std::int32_t task = 0;
  std::int32_t slot = 0;
  Peak peak = {}; ///< the most loaded links behind it
};

/// Of all swaps of a task whose messages cross a most loaded link the one behind which the most loaded link
/// carries least, or else fewer links as much; of at most `tasks_max` such tasks. Nothing where none does.
/// Needs a slot of its own for each task; `base_load` as for metrics(). O(tasks_max * slots * degree * hops).
std::optional<Relief> best_relief(const pattern::Matrix& matrix, const machine::Allocation& allocation,
                                  const Slots& slot_of, std::size_t tasks_max,
                                  const std::vector<double>& base_load = {});

} // namespace thalweg::place
