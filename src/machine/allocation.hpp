#pragma once

// Which part of a machine a job has.

#include "topology/interconnect.hpp"

#include <memory>
#include <vector>

namespace thalweg::machine {

/// Slots are what a rank can be put on, one rank each. A node that has room for several ranks has several
/// slots, so its place comes several times. There may be more slots than ranks.
struct Allocation {
  std::shared_ptr<const topology::Interconnect> interconnect; ///< never null
  std::vector<topology::Place> slots;                         ///< the node of each slot
};

} // namespace thalweg::machine
