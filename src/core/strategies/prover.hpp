// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Proof obligations: the problems over which a strategy must be verified, and what its descriptor promises.
// Problems have nodes, switches, sockets, neighborhoods and orders of ranks, and these have shapes of their
// own.

#include "schedule/problem.hpp"
#include "schedule/verifier.hpp"
#include "strategies/index.hpp"

#include <memory>
#include <vector>

namespace thalweg::strategies {

/// Which roots to prove: every rank, or the first, a middle and the last one.
enum class Roots { all, sample };

/// The problems of `ranks` ranks that the strategy does not refuse: roots, parameter values (each parameter's
/// proven_at values with the others standard, and all together at their first), pieces, shapes of nodes,
/// neighborhoods, and one order of the ranks that is not their own.
std::vector<Problem> obligations(const Strategy& strategy, std::int32_t ranks, Roots roots);

/// A line that names a problem: "allreduce ring, 7 ranks, segment=1 KiB, in place".
std::string describe(const Strategy& strategy, const Problem& problem);

/// Builds all ranks' schedules, verifies them, in place too where promised, and holds the verdict against the
/// descriptor. The faults found, each with the problem's description; empty: proven.
std::vector<std::string> prove(const Strategy& strategy, const Problem& problem);

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
