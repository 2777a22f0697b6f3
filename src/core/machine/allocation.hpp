// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which part of a machine a job has.

#include "topology/interconnect.hpp"

#include <memory>
#include <span>
#include <vector>

namespace thalweg::machine {

/// Slots are what a rank can be put on, one rank each. A node that has room for several ranks has several
/// slots, so its place comes several times. There may be more slots than ranks.
struct Allocation {
  std::shared_ptr<const topology::Interconnect> interconnect; ///< never null
  std::vector<topology::Place> slots;                         ///< the node of each slot
};

/// Gives nodes their slots, in the order of the nodes: `slots_per_node` has one number for all of them, or
/// one each; 0 is a node that no rank is put on. Throws Error naming the node where it is outside of the
/// machine, comes twice or takes no ranks but has slots, and where numbers are below 0 or too many slots come
/// together.
Allocation make_allocation(std::shared_ptr<const topology::Interconnect> interconnect,
                           std::span<const topology::Place> nodes,
                           std::span<const std::int32_t> slots_per_node);

/// All nodes of a machine that take ranks.
std::vector<topology::Place> nodes_for_ranks(const topology::Interconnect& interconnect);

} // namespace thalweg::machine
