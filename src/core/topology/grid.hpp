// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Meshes and tori of any dimensions as arithmetic: places, coordinates, and how many hops lie between two.
// Nothing is kept for a place, so a million of them cost nothing.

#include "base/assertion.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::topology {

/// A place of a grid, by its number: coordinate 0 varies fastest.
using Place = std::int64_t;

class Grid {
public:
  /// A mesh, or where it wraps a torus. Throws Error where an extent is below 1, there is none, or the places
  /// are too many: their coordinates have to fit into 62 bits together.
  Grid(std::vector<std::int32_t> extents, bool wraps);

  const std::vector<std::int32_t>& extents() const { return extents_; }
  std::int32_t extent(std::size_t dimension) const { return extents_[dimension]; }
  std::size_t dimensions() const { return extents_.size(); }
  bool wraps() const { return wraps_; }
  Place places() const { return places_; }
  /// "torus:25x32x24" or "mesh:4x4".
  std::string name() const;

  std::int32_t coordinate(Place place, std::size_t dimension) const {
    THALWEG_ASSERT(normal, place >= 0 && place < places_ && dimension < extents_.size());
    return static_cast<std::int32_t>(place / strides_[dimension] % extents_[dimension]);
  }
  /// The place that is `steps` further in a dimension, also backward; on a mesh -1 beyond its edge.
  Place neighbor(Place place, std::size_t dimension, std::int32_t steps) const;
  /// Links on a shortest route between two places.
  std::int64_t hops(Place a, Place b) const;
  /// The hops between the two places that are furthest apart.
  std::int64_t diameter() const;

private:
  std::vector<std::int32_t> extents_;
  bool wraps_;
  std::vector<Place> strides_;
  Place places_ = 1;
};

/// Reads "torus:25x32x24" or "mesh:4x4". Throws Error for anything else.
Grid parse_grid(std::string_view text);

// The sides of a mesh or torus as they are written: "4x2", "25x32x24".

/// The numbers of "4x2", all above 0; empty if the text is anything else.
std::vector<std::int32_t> parse_extents(std::string_view text);

} // namespace thalweg::topology
