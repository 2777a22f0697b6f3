// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which meshes are worth a thought for the ranks of a job.

#include "stream/item_route.hpp"

#include <span>
#include <vector>

namespace thalweg::streams {

/// The first is what is best where nothing is known of the program: as many links as ranks, or, where these
/// are many, the ranks of a node and then the nodes. `nodes[r]`: the node of rank r. Each holds all ranks, in
/// cells that go through one node after the other.
///
/// A mesh of more dimensions fills its buffers faster and closes fewer links, but items go more often. The
/// first side is that of a node's ranks, or a multiple or a part of it: so the first hop stays within the
/// node, or as many ranks of a node as can be send to the same peers (Wesolowski and others 2014, section
/// III).
std::vector<Shape> candidate_shapes(std::span<const std::int32_t> nodes);

} // namespace thalweg::streams
