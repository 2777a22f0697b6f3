// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What routes on meshes and tori are made of: links by number, the steps to go, and minimal adaptive routes.

#include "topology/interconnect.hpp"

namespace thalweg::topology {

/// The link that leaves a place in a dimension, forward or (the next number) backward.
inline Link grid_link(const Grid& grid, Place place, std::size_t dimension, bool forward) {
  return 2 * (place * static_cast<Link>(grid.dimensions()) + static_cast<Link>(dimension)) +
         (forward ? 0 : 1);
}

/// Steps to go in a dimension, below 0 backward: on a torus the shorter way, forward where both are as long.
std::int64_t steps_ahead(const Grid& grid, Place from, Place to, std::size_t dimension);

/// Appends what links carry where all shortest routes are taken equally often: at each switch a dimension is
/// chosen in proportion to the steps still to go in it. Each link once. O(links of the box between the two).
void append_adaptive_route(const Grid& grid, Place from, Place to, std::vector<LinkShare>& route);

} // namespace thalweg::topology
