// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/problem.hpp"

#include <memory>
#include <vector>

namespace thalweg::strategies {

using NodeShapes = std::vector<std::shared_ptr<const std::vector<std::int32_t>>>;
using NeighborhoodShapes = std::vector<std::shared_ptr<const std::vector<schedule::Neighborhood>>>;

/// Ways in which `ranks` ranks can lie on nodes: one node, a node each, two a node in order, dealt round
/// robin, uneven.
NodeShapes node_shapes(std::int32_t ranks);

/// Switches for a shape of nodes: not known, and dealt round robin over at most three.
NodeShapes leaf_shapes(const std::vector<std::int32_t>& nodes);

/// Sockets for a shape of nodes: each node's ranks, in order, on two.
std::shared_ptr<const std::vector<std::int32_t>> two_sockets_a_node(const std::vector<std::int32_t>& nodes);

/// Neighborhoods to prove neighbor strategies on: nobody, a ring, everybody, seeded random graphs with
/// isolated ranks, self edges and repeated edges.
NeighborhoodShapes neighborhood_shapes(std::int32_t ranks);

/// Both orders of the ranks at random, from a seed.
std::shared_ptr<const schedule::RankOrders> random_orders(std::int32_t ranks, std::uint32_t seed);

} // namespace thalweg::strategies
