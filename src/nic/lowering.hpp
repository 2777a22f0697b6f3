// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// From a strategy's schedule to the view that a host's card has of it.
//
// Nothing here knows a strategy. A schedule is taken as it was proven, and its shape is looked at: tokens, or
// vectors to combine, from children, then one to a parent, one back from it, and the same to the children. A
// broadcast and a scatter have the way down alone, a reduce and a gather the way up. Where blocks are kept
// apart, the operation says what comes out: any tree along which all have heard of all will do.
// Ranks of a host become contributors of its card, and so do the cards of the hosts below it. Cards combine
// what contributors bring in their order, each as the right operand, so a reduction has to do so as well.

#include "schedule/schedule.hpp"

#include <functional>
#include <string>

namespace thalweg::nic {

/// A rank's place in the tree that its schedule is, in the order in which it hears from its children, or
/// sends to them.
struct TreePlace {
  Rank parent = -1; ///< -1 at the root
  std::vector<Rank> children = {};
  bool operator==(const TreePlace&) const = default;
};

/// Reads the schedule of an operation that cards run as a place in a tree. Throws Error where it is none.
TreePlace tree_place(const schedule::Schedule& schedule);

/// What a host's card has to know.
struct HostView {
  std::vector<Rank> locals = {}; ///< the host's ranks: its contributors from 0 on
  std::vector<Rank> below = {};  ///< a rank on each host below: the contributors after them
  Rank parent = -1;              ///< a rank on the host above; -1 at the root
  std::int32_t number_above = 0; ///< which contributor this host is there
  std::int32_t own_number = 0;   ///< which contributor the rank that asks is here
  bool is_root() const { return parent == -1; }
  std::int32_t contributors() const { return static_cast<std::int32_t>(locals.size() + below.size()); }
  /// The rank of a contributor, of a host below the one that it is joined by.
  Rank rank_of(std::int32_t contributor) const;
};

using ScheduleOf = std::function<schedule::Schedule(Rank)>;

/// The view of the host that `rank` is on, `nodes[r]` the host of rank r. Throws Error where the schedule is
/// no tree, or a host's ranks are no connected part of it.
HostView lower(const ScheduleOf& schedule_of, const std::vector<std::int32_t>& nodes, Rank rank);

} // namespace thalweg::nic
