// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Meshes and tori as interconnects: dimension-order or minimal adaptive routes, of which each link's number
// is arithmetic.

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

/// Links between switches are numbered by grid_link(). A mesh's numbers of links that would leave it are
/// never on a route. Where nodes are linked to switches, the links of node n follow: two numbers each, to the
/// switch and back.
class GridInterconnect final : public Interconnect {
public:
  /// Reads the body "4x4*16+2" of a name whose kind is mesh or torus.
  explicit GridInterconnect(const InterconnectName& name);
  /// A switch for each node, with a name's options.
  GridInterconnect(Grid grid, const InterconnectName& name);

  std::string name() const override;
  Place nodes() const override { return grid_.places() * per_switch(); }
  std::int64_t hops(Place a, Place b) const override;
  std::int64_t diameter() const override { return grid_.diameter() + (nodes() > 1 ? node_links() : 0); }
  double mean_hops() const override;
  double bisection() const override;
  Link links() const override { return first_node_link() + node_links() * nodes(); }
  Vertex vertices() const override { return has_node_links() ? nodes() + grid_.places() : nodes(); }
  LinkEnds ends(Link link) const override;
  /// Dimension 0 first. A torus goes the shorter way, and forward where both are as long; half of the bytes
  /// each way with route=split. With route=adaptive all shortest routes are taken equally often, which is
  /// what adaptive routers come to (expected loads).
  void append_route(Place from, Place to, std::vector<LinkShare>& route) const override;
  bool spreads() const override { return options_.routing != Routing::fixed; }
  double capacity(Link link) const override;
  std::string link_name(Link link) const override;
  bool takes_ranks(Place node) const override { return node % per_switch() < nodes_per_switch_; }
  Place rank_nodes() const override { return grid_.places() * nodes_per_switch_; }
  const Grid* grid() const override { return has_node_links() ? nullptr : &grid_; }
  const Grid* switch_grid() const override { return &grid_; }
  Place switch_place(Place node) const override { return node / per_switch(); }

private:
  /// Fills in nodes per switch, and refuses options that are none of a grid's.
  void settle(const InterconnectName& name);
  bool has_node_links() const { return has_node_links_; }
  Place node_links() const { return has_node_links() ? 2 : 0; }
  Place per_switch() const { return nodes_per_switch_ + spare_per_switch_; }
  Link first_node_link() const { return 2 * grid_.places() * static_cast<Link>(grid_.dimensions()); }
  Vertex vertex(Place place) const { return has_node_links() ? nodes() + place : place; }
  void append_in_order(Place from, Place to, std::vector<LinkShare>& route) const;

  Grid grid_;
  std::int32_t nodes_per_switch_ = 1;
  std::int32_t spare_per_switch_ = 0; ///< which take no ranks
  bool has_node_links_ = false;
  InterconnectName options_;
};

} // namespace thalweg::topology
