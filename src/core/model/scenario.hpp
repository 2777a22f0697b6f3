// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a prediction starts from, and what it says.

#include "base/rank.hpp"
#include "machine/machine.hpp"
#include "topology/network.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::model {

struct Prediction {
  double seconds = 0;     ///< until the last rank has finished, all having begun together
  double cpu_seconds = 0; ///< of the ranks' mean
  double cpu_max = 0;     ///< of the busiest rank
  /// It takes at least `seconds`; how much longer, nobody has looked.
  bool is_bound = false;
};

/// Where ranks are and what is known of the machine.
struct Scenario {
  const machine::Machine& machine;
  /// The node of each rank, numbered from 0; empty: all on one node.
  std::span<const std::int32_t> nodes = {};
  /// The socket and the core complex that each rank stays on, numbered across nodes; -1 for a rank that may
  /// move between several. Empty: not known, ranks of a node are a node apart.
  std::span<const std::int32_t> sockets = {};
  std::span<const std::int32_t> complexes = {};
  /// The core that each rank stays on, as its node's system numbers it; -1 for a rank that may move. Empty:
  /// not known. Ranks of a node are then as far apart as their level says, whatever the machine's distances
  /// are.
  std::span<const std::int32_t> cores = {};
  /// Where the nodes are in the network. Without a shape it is the machine file's.
  topology::NodePlaces node_places = {};
  /// Of each rank's steps, the bytes of their messages, where units are of different sizes; empty: as units
  /// say.
  std::span<const std::vector<std::int64_t>> message_bytes = {};

  std::span<const std::int64_t> message_bytes_of(Rank rank) const {
    return message_bytes.empty() ? std::span<const std::int64_t>{}
                                 : message_bytes[static_cast<std::size_t>(rank)];
  }
  topology::NodePlaces known_places() const {
    topology::NodePlaces known = node_places;
    if (known.network.empty())
      known.network = machine.network;
    return known;
  }
};

} // namespace thalweg::model
