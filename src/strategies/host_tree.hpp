#pragma once

// The tree that strategies for network devices run along: a k-ary tree of nodes, with each node's other ranks
// right below its leader, as their own card hears from them. They come before the nodes below, as cards
// combine in that order.

#include "strategies/strategy.hpp"
#include "topology/tree_node.hpp"

#include <vector>

namespace thalweg::strategies {

/// The parameter `radix`: how many nodes are below a node.
Parameter host_tree_radix();

/// The parameter `where`: whether a switch's card may be the tree's top, for those that run it on devices.
Parameter host_tree_where();

/// The rank's place in that tree of the builder's problem, at the problem's root.
topology::TreeNode host_tree_node(const Builder& builder);

/// A rank and all that are below it there; itself first.
std::vector<Rank> host_subtree(const Builder& builder, Rank rank);

} // namespace thalweg::strategies
