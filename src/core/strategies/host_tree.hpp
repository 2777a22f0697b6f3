// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The tree that strategies for network devices run along: a k-ary tree of nodes, with each node's other ranks
// right below its leader, as their own card hears from them. They come before the nodes below, as cards
// combine in that order.
//
// Where it is known which switch each node is on (Problem::leaves), each leaf has such a tree of its nodes,
// and their leaders have one of leaves. A leader hears from its own leaf first. So a switch that aggregates
// can take the leader's place (nic/aggregated_tree.hpp).

#include "strategies/strategy.hpp"
#include "topology/tree.hpp"

#include <vector>

namespace thalweg::strategies {

/// The parameter `radix`: how many nodes are below a node, and how many leaves below a leaf.
Parameter host_tree_radix();

/// The parameter `where`: whether switches' cards may be in the tree, for those that run it on devices.
Parameter host_tree_where();

/// The parameter `sum` of reductions: whether sums of floating-point numbers are rounded once, so that they
/// do not depend on the order. Who runs a schedule sees to that, by integers; what is proven is the same.
Parameter host_tree_sum();

/// What devices take at most (mpi/offload/nic_relaying.cpp, device_blocks.cpp, device_words.cpp): the bytes
/// of a broadcast or of all that is scattered, of all that is gathered, and of a reduction of MPI_DOUBLE.
inline constexpr std::int64_t device_message_bytes = 90112;
inline constexpr std::int64_t device_gather_bytes = 8192;
inline constexpr std::int64_t device_reduction_bytes = 2048;

/// Is the problem, by the bytes of its units, small enough for devices? Our engine runs larger ones.
bool fits_devices(const Problem& problem);

/// The rank's place in that tree of the builder's problem, at the problem's root.
topology::TreeNode host_tree_node(const Builder& builder);

/// A rank and all that are below it there; itself first.
std::vector<Rank> host_subtree(const Builder& builder, Rank rank);

} // namespace thalweg::strategies
