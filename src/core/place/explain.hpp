// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Why a mapping is as good as it is: what loads a link, and which swap would relieve the hottest one.

#include "machine/allocation.hpp"
#include "pattern/matrix.hpp"
#include "place/link_energy.hpp"

#include <optional>

namespace thalweg::place {

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
