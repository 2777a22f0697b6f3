// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The ranks of a team or of a stream: a group that has agreed on where its ranks are, and has channels.

#include "job/mpi/node_segment.hpp"
#include "job/mpi/rank_group.hpp"
#include "job/placement.hpp"

#include <memory>
#include <mpi.h>
#include <vector>

namespace thalweg::job {

class Group : public RankGroup {
public:
  /// Collective over the communicator. `parent`: the group that it is a part of, or nullptr.
  /// `has_transport`: its ranks send each other messages, through memory that they share where they can.
  /// `aggregates`: those between nodes wait for others that go there too, until channels are flushed.
  explicit Group(std::shared_ptr<ShadowCommunicator> shadow, const Group* parent = nullptr,
                 bool has_transport = true, bool aggregates = true);

  const Placement& placement() const { return placement_; }
  /// The number of a rank among those of this node, or -1.
  Rank near_rank(Rank rank) const { return near_ranks_[static_cast<std::size_t>(rank)]; }
  Rank near_rank() const { return near_rank(rank()); }
  std::int32_t near_ranks() const { return channels().node().count(); }
  bool has_far_ranks() const { return channels().has_other_nodes(); }

  /// All ranks, to agree on something. Waits under `policy`.
  Agreement agreement(const wait::Policy& policy) const;
  /// Memory that the ranks of the node share; null on all of them where one cannot have it. Collective.
  std::shared_ptr<transport::Segment> share(std::size_t bytes) const;

private:
  /// What its ranks have told each other.
  struct AllPlaces {
    RankPlace own;
    Placement all;
  };
  static AllPlaces agree(const ShadowCommunicator& shadow, const Group* parent);
  Group(const std::shared_ptr<ShadowCommunicator>& shadow, AllPlaces found, bool has_transport,
        bool aggregates);

  RankPlace place_; ///< of this rank, for its parts
  Placement placement_;
  std::vector<Rank> near_ranks_;
};

} // namespace thalweg::job
