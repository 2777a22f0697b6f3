#pragma once

// Meshes and tori as interconnects: dimension-order routes, of which each link's number is arithmetic.

#include "topology/interconnect.hpp"

namespace thalweg::topology {

/// Link 2 * (place * dimensions + dimension) leaves a place forward in a dimension, the next number backward.
/// A mesh's numbers of links that would leave it are never on a route.
class GridInterconnect final : public Interconnect {
public:
  explicit GridInterconnect(Grid grid) : grid_(std::move(grid)) {}

  std::string name() const override { return grid_.name(); }
  Place nodes() const override { return grid_.places(); }
  std::int64_t hops(Place a, Place b) const override { return grid_.hops(a, b); }
  std::int64_t diameter() const override { return grid_.diameter(); }
  Link links() const override { return 2 * grid_.places() * static_cast<Link>(grid_.dimensions()); }
  /// Dimension 0 first. A torus goes the shorter way, and forward where both are as long.
  void append_route(Place from, Place to, std::vector<LinkShare>& route) const override;
  std::string link_name(Link link) const override;
  const Grid* grid() const override { return &grid_; }

private:
  Grid grid_;
};

} // namespace thalweg::topology
