// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The ranks of a team or of a stream: where they are, and how they reach each other.

#include "job/mpi/channels.hpp"
#include "job/mpi/node_segment.hpp"
#include "job/placement.hpp"

#include <memory>
#include <mpi.h>
#include <vector>

namespace thalweg::job {

class Group {
public:
  /// Collective over the communicator. `parent`: the group that it is a part of, or nullptr.
  /// `has_transport`: its ranks send each other messages, through memory that they share where they can.
  /// `aggregates`: those between nodes wait for others that go there too, until channels are flushed.
  explicit Group(std::shared_ptr<ShadowCommunicator> shadow, const Group* parent = nullptr,
                 bool has_transport = true, bool aggregates = true);

  MPI_Comm communicator() const { return shadow_->handle(); }
  /// For who needs it longer than the group is there.
  const std::shared_ptr<ShadowCommunicator>& shadow() const { return shadow_; }
  Rank rank() const { return rank_; }
  std::int32_t ranks() const { return static_cast<std::int32_t>(placement_.nodes.size()); }
  const Placement& placement() const { return placement_; }
  /// The node of each rank, numbered in order of appearance.
  const std::shared_ptr<const std::vector<std::int32_t>>& nodes() const { return nodes_; }
  /// The socket of each rank, or null where no node has ranks on several.
  const std::shared_ptr<const std::vector<std::int32_t>>& sockets() const { return sockets_; }
  std::int32_t node_count() const { return placement_.node_count; }
  /// The number of a rank among those of this node, or -1.
  Rank near_rank(Rank rank) const { return near_ranks_[static_cast<std::size_t>(rank)]; }
  Rank near_rank() const { return near_rank(rank_); }
  std::int32_t near_ranks() const { return channels_->node().count(); }
  bool has_far_ranks() const { return channels_->has_other_nodes(); }

  /// All ranks, to agree on something. Waits under `policy`.
  Agreement agreement(const wait::Policy& policy) const;
  Channels& channels() const { return *channels_; }
  transport::Transport& transport() const { return *channels_->transport(); }
  /// Memory that the ranks of the node share; null on all of them where one cannot have it. Collective.
  std::shared_ptr<transport::Segment> share(std::size_t bytes) const;

private:
  std::shared_ptr<ShadowCommunicator> shadow_;
  Rank rank_ = 0;
  RankPlace place_;
  Placement placement_;
  std::shared_ptr<const std::vector<std::int32_t>> nodes_;
  std::shared_ptr<const std::vector<std::int32_t>> sockets_;
  std::vector<Rank> near_ranks_;
  std::unique_ptr<Channels> channels_;
};

} // namespace thalweg::job
