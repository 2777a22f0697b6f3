// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A tree of hosts with cards more, which have no ranks: of switches, or of hosts that serve others.
//
// On each leaf, its aggregator takes the place of the host that leads there: the one that no other host of
// the leaf is above of. That host's own card becomes the aggregator's first contributor. Where a spine
// aggregates too, it takes the place of the root's leaf in the same way. So each combines what was combined
// there before, in the same order: results keep their bits.
//
// A broadcast begins at its root's host, which sends it to its leaf alone. That one has its other hosts
// below, and the other leaves or the spine.

#include "nic/lowering.hpp"

#include <vector>

namespace thalweg::nic {

/// How aggregators are known in views, where ranks stand for hosts: by the number of their leaf.
constexpr Rank aggregator_of(std::int32_t leaf) {
  return -2 - leaf;
}
/// One that is above all leaves.
inline constexpr Rank spine = -1'000'000'000;

class AggregatedTree {
public:
  /// `leaves[r]`: the leaf of rank r's host. `goes_down`: as broadcasts and scatters do. The references are
  /// kept.
  AggregatedTree(const ScheduleOf& schedule_of, const std::vector<std::int32_t>& nodes,
                 const std::vector<std::int32_t>& leaves, bool goes_down, bool has_spine)
      : schedule_of_(schedule_of), nodes_(nodes), leaves_(leaves), goes_down_(goes_down),
        has_spine_(has_spine) {}

  /// The view of the host that the rank is on. Throws Error where the tree leaves a leaf and comes back, and
  /// what lower() throws.
  HostView host(Rank rank) const;
  /// Those of the aggregators, by names as above.
  HostView leaf(Rank aggregator) const;
  HostView top() const;
  /// The rank that leads the rank's leaf: it has its aggregator enrolled.
  Rank leader(Rank rank) const;

private:
  HostView plain(Rank rank) const { return lower(schedule_of_, nodes_, rank); }
  std::int32_t leaf_of(Rank rank) const { return leaves_[static_cast<std::size_t>(rank)]; }
  /// Without the numbers above.
  HostView card(Rank name) const;
  HostView host_card(Rank rank) const;
  HostView leaf_card(Rank aggregator) const;
  HostView spine_card() const;
  HostView numbered(HostView view, Rank name) const;

  const ScheduleOf& schedule_of_;
  const std::vector<std::int32_t>& nodes_;
  const std::vector<std::int32_t>& leaves_;
  bool goes_down_;
  bool has_spine_;
};

} // namespace thalweg::nic
