// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How many tasks each rank is to have. A rank knows its own target from its load, a total, and one exclusive
// prefix sum over the ranks that come before it, so nobody gathers all counts.

#include "balance/flow.hpp"

#include <string_view>

namespace thalweg::balancing {

/// Where the remainder goes if the tasks are no multiple of the ranks; k is the rounded-up share.
enum class Spread : std::uint8_t {
  even, ///< everybody has k or k - 1; those that have more than their share already get the k, so less moves
  capped, ///< nobody has more than k, and ranks with little may stay as they are: fewer messages
};

std::string_view name(Spread spread);

/// The rule by which tasks are dealt out to ranks in an order: alike, or in proportion to their speeds.
///
/// capped is the alias method's rule with its phantoms on ranks that have too little (Sudheer Kumar 2012,
/// section 5.3, which leaves open where they go). They fill up whole ranks, here and there along the order,
/// so that no tasks drift.
class Rule {
public:
  /// `speed_total` is that of all ranks, or 0 where they are alike.
  Rule(Spread spread, Tasks tasks, std::int32_t ranks, Tasks speed_total = 0);

  /// What a rank adds to the prefix sum: 1 if it has more than the rounded-down share; what it lacks to k; or
  /// its speed.
  Tasks counted(Tasks load, Tasks speed = 0) const;
  /// A rank's target, where `before` is the prefix sum over the ranks at earlier positions and `total` that
  /// over all.
  Tasks target(Tasks load, std::int32_t position, Tasks before, Tasks total, Tasks speed = 0) const;

private:
  Tasks phantoms_before(Tasks lacked, Tasks lacked_total) const;

  Spread spread_;
  std::int32_t ranks_;
  Tasks tasks_;
  Tasks share_;
  Tasks remainder_;
  Tasks share_max_;
  Tasks speed_total_;
};

/// The targets by rank. `order` has the ranks in the order in which they are dealt with; `speeds` is empty
/// where they are alike, in which case alone `spread` counts. O(ranks).
std::vector<Tasks> targets(std::span<const Tasks> loads, std::span<const Rank> order, Spread spread,
                           std::span<const Tasks> speeds = {});

} // namespace thalweg::balancing
