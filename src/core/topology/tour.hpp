// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// An order of any nodes of a grid in which neighbors are near: for the pieces that a busy machine leaves a
// job.
//
//     ##.....###     Nodes that hang together are one piece; it may go around a torus.
//     #..###..##
//     ...####...
//
// Each piece is gone through along a Hilbert curve of its own, which fits it. Then the pieces are joined:
// from the end of one to the nearest end of those that are left, which may be gone through backward.

#include "topology/grid.hpp"

#include <span>
#include <vector>

namespace thalweg::topology {

/// The pieces of `places`, as indices into them: two are in one piece if neighbors of the grid join them. The
/// same place may come more than once. In the order of each piece's first index; O(n log n).
std::vector<std::vector<std::int32_t>> pieces(const Grid& grid, std::span<const Place> places);

/// A tour through `places`, as indices into them; the indices of one place follow each other. Of the tour
/// through pieces and the one curve through all, the shorter one. Many pieces make no tour: then it is the
/// curve. O(n log n).
std::vector<std::int32_t> tour(const Grid& grid, std::span<const Place> places);

/// The sum of hops from each place of an order to the next.
std::int64_t tour_hops(const Grid& grid, std::span<const Place> places, std::span<const std::int32_t> order);

} // namespace thalweg::topology
