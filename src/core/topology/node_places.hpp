// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The nodes of a job, and where they are in the machine's network.

#include "topology/network.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace thalweg::topology {

struct NodePlaces {
  /// The network's shape (topology/network.hpp); empty: not known.
  std::string network = {};
  /// Hosts of the whole network; 0: what the shape says, or as many as its places need.
  std::int32_t hosts = 0;
  /// The place of each node, a host's number in the network, -1 where it is not known. Empty: node i is at
  /// place i, and there are no others.
  std::vector<std::int32_t> places = {};
};

/// What that says of so many nodes.
struct LocatedNodes {
  /// Nothing where the shape is not known or does not fit the job.
  std::optional<Network> network = {};
  /// The place of each node; empty where they are not known.
  std::vector<std::int32_t> places = {};
  /// Why a shape that is given cannot be used; empty where it can, or none is given.
  std::string why_unknown = {};
};

LocatedNodes locate(const NodePlaces& known, std::int32_t nodes);

/// The switch of each rank's node, numbered from 0 in order of first appearance. `nodes`: each rank's node,
/// numbered from 0. Empty where the network is not known, or where all are on one switch.
std::vector<std::int32_t> leaves_of(const NodePlaces& known, std::span<const std::int32_t> nodes);

} // namespace thalweg::topology
