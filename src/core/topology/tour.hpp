// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The Hilbert curve through a grid of any dimensions and any extents: an order of its places in which what is
// near in the order is near on the grid.
//
//     5---6   9--10
//     |   |   |   |     A 4 x 4 grid. Each quarter is a smaller curve, turned so that
//     4   7---8  11     it begins beside the end of the one before.
//     |           |
//     3---2  13--12
//         |   |
//     0---1  14--15
//
// Sides need not be equal: where only the longer ones have bits left, the curve has only their dimensions. It
// stays without a jump, as a cell of the coarse curve is entered and left where the further dimensions are 0.
// A side that is no power of two is spread over the next one, so that gaps lie evenly, and neighbors in the
// order stay a few hops apart.
//
// Source: Hamilton and Rau-Chaplin 2008, "Compact Hilbert indices", section 2 (entry points and directions);
// sets of dimensions that grow from level to level are ours.
//
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

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::topology {

class HilbertCurve {
public:
  /// The curve through a box, beginning at its first place.
  explicit HilbertCurve(std::span<const std::int32_t> extents);

  /// Where a place comes in the order: different for different places, not without gaps. `coordinates` has
  /// one entry a dimension, each within its extent. O(bits of the coordinates).
  std::uint64_t key(std::span<const std::int32_t> coordinates) const;

private:
  struct Side {
    std::size_t dimension; ///< which coordinate
    std::int32_t extent;
    int bits;
  };
  std::vector<Side> sides_; ///< the longest first
};

/// The order of `places` of a grid along its curve, as indices into them. The same place may come more than
/// once: then its indices keep their order. O(n log n).
std::vector<std::int32_t> hilbert_order(const Grid& grid, std::span<const Place> places);

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
