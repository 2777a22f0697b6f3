// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A graph in two parts of given sizes with little between them: by coarsening, growing, and refinement at
// every level.
//
// Sources: Karypis and Kumar 1998 (heavy-edge matching), Fiduccia and Mattheyses 1982 (refinement), and for
// vertices that are drawn to a side from outside, the dual recursive bipartitioning of Pellegrini 1994.

#include "base/random.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::place {

/// A graph to be cut; vertices of a coarse one stand for several.
struct CutGraph {
  std::vector<std::size_t> begin = {0};
  std::vector<std::int32_t> neighbors;
  std::vector<double> bytes;
  std::vector<std::int32_t> sizes;
  /// What a vertex costs in part 1 more than in part 0, for what it sends to others outside.
  std::vector<double> pull;

  std::int32_t vertices() const { return static_cast<std::int32_t>(sizes.size()); }
};

using Sides = std::vector<std::uint8_t>;

/// The side of each vertex, so that the sizes on side 0 are `first` together, or as near as the vertices let
/// it, where they are more than `slack` away. Makes the bytes cut plus the pull of those on side 1 small.
/// Where all sizes are 1, side 0 has exactly `first` vertices with no slack. O(edges log edges).
Sides cut(const CutGraph& graph, std::int32_t first, std::int32_t slack, Random& random);

/// The graph with its heaviest edges' ends put together, and for each vertex what it has become part of.
struct Coarse {
  CutGraph graph;
  std::vector<std::int32_t> part_of;
};
Coarse coarsened(const CutGraph& graph, Random& random);

/// Moves vertices between the sides as long as that helps, also over losses. `slack` is how far the size of
/// side 0 may be from `first`; a side that is further off comes nearer.
void refine(const CutGraph& graph, Sides& sides, std::int32_t first, std::int32_t slack);

/// Bytes cut plus the pull of those on side 1.
double cut_cost(const CutGraph& graph, const Sides& sides);

} // namespace thalweg::place
