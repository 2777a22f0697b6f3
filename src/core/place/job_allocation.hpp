// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The slots that a running job has: one for each of its ranks, in their order.

#include "machine/allocation.hpp"
#include "topology/node_places.hpp"

#include <cstdint>
#include <span>

namespace thalweg::place {

/// `node_of` has each rank's node, 0 .. nodes-1. Where the network between them is known, a slot's place is
/// its node's there; else each node is at an equal distance from all others, which is what matters most.
/// Throws Error for a node that the network has no place for.
machine::Allocation job_allocation(const topology::NodePlaces& known, std::span<const int> node_of,
                                   std::int32_t nodes);

} // namespace thalweg::place
