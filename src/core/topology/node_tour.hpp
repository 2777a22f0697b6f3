// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A short round trip through the nodes of a job: the order in which rings and trees of ranks lay least on a
// network's links.

#include "topology/network.hpp"

#include <span>
#include <vector>

namespace thalweg::topology {

/// The nodes at `places` of the network, as indices into them, in an order in which each is near the next
/// one, and the last near the first. Begins with node 0. Never longer than the nodes' own order, which is
/// kept where nothing is shorter.
///
/// The best of several beginnings: their own order, the order of places, the nearest of those left, and of
/// tori topology::tour; each shortened by turning parts round (2-opt: Croes 1958) where there are few nodes.
/// The same on every machine. O(n^2) and more for few nodes, O(n log n) for many.
std::vector<std::int32_t> node_tour(const Network& network, std::span<const std::int32_t> places);

/// The links that a round trip crosses, back to its first node included.
std::int64_t round_trip_hops(const Network& network, std::span<const std::int32_t> places,
                             std::span<const std::int32_t> order);

} // namespace thalweg::topology
