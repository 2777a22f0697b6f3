// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "strategies/selection.hpp"
#include "topology/node_places.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace thalweg::tune {

/// A problem as tuning files and people know it.
struct Case {
  const strategies::Call* call = nullptr;
  std::int64_t bytes = 0; ///< of a unit (schedule/buffers.hpp): what each pair, rank or the vector has
  std::int32_t ranks = 1;
  /// The node of each rank; empty: all on one.
  std::vector<std::int32_t> nodes = {};
  /// Where in its node each rank stays (model::Scenario); empty: not known.
  std::vector<std::int32_t> sockets = {};
  std::vector<std::int32_t> complexes = {};
  /// Where the nodes are in the network. Without a shape it is the machine file's.
  topology::NodePlaces node_places = {};
  /// The switch of each rank's node, as the schedules of network devices group them (Problem::leaves): in a
  /// job what the hosts' agents say, else what the network's shape does (topology::leaves_of). Empty: not
  /// known, or one for all.
  std::vector<std::int32_t> leaves = {};
  /// In which strategies may number the ranks (strategies/order.hpp); null: their own.
  std::shared_ptr<const schedule::RankOrders> orders = nullptr;
  /// So many calls follow each other, and nobody waits for one's end before the next: what counts is when the
  /// last one ends.
  std::int32_t calls_in_row = 1;
  /// Of exchanges whose blocks may be empty: to how many other ranks one sends something, in the mean; 0: to
  /// all.
  double degree = 0;
  /// May network devices run it? Those of MPI's calls; a team's are always run by our engine.
  bool may_offload = true;
};

} // namespace thalweg::tune
