// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Ranks that do something together: where they are, and how they reach each other, once they do. A
// communicator of a program has one where it is needed (mpi/comm), and libraries that programs call make
// theirs from a duplicate of a communicator (job/library/group.hpp).

#include "job/group_places.hpp"
#include "job/mpi/channels.hpp"
#include "schedule/problem.hpp"

#include <cstdint>
#include <memory>

namespace thalweg::job {

class RankGroup {
public:
  /// Without communication. `rank` is this process's.
  RankGroup(Rank rank, GroupPlaces places);

  Rank rank() const { return rank_; }
  std::int32_t ranks() const { return static_cast<std::int32_t>(places_.nodes->size()); }
  /// The node of each rank, numbered in order of appearance.
  const GroupPlaces::Numbers& nodes() const { return places_.nodes; }
  /// The socket of each rank, or null where no node has ranks on several.
  const GroupPlaces::Numbers& sockets() const { return places_.sockets; }
  const GroupPlaces& places() const { return places_; }
  std::int32_t node_count() const { return places_.node_count; }
  /// The orders of its ranks that follow the machine; null where none is better than their own. Looked for
  /// when they are asked for.
  const std::shared_ptr<const schedule::RankOrders>& orders();
  /// Says in a problem of these ranks where they are.
  void put_places_into(schedule::Problem& problem) const;

  /// Collective, on a communicator of the group's own: from here on it has channels.
  void open(const transport::MpiApi& api, std::shared_ptr<ShadowCommunicator> shadow,
            const ChannelOptions& options);
  bool is_open() const { return channels_ != nullptr; }
  /// Ends what is open. Gives back the communicator, which whoever holds the transport still needs.
  std::shared_ptr<ShadowCommunicator> close();

  /// These are there once it is open.
  MPI_Comm communicator() const { return shadow_->handle(); }
  /// For who needs it longer than the group is there.
  const std::shared_ptr<ShadowCommunicator>& shadow() const { return shadow_; }
  Channels& channels() const { return *channels_; }
  transport::Transport& transport() const { return *channels_->transport(); }

private:
  Rank rank_;
  GroupPlaces places_;
  std::shared_ptr<const schedule::RankOrders> orders_;
  bool has_orders_ = false; ///< they were looked for
  std::shared_ptr<ShadowCommunicator> shadow_;
  std::unique_ptr<Channels> channels_;
};

} // namespace thalweg::job
