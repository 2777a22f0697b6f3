// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Generalized fat trees of any levels (XGFT: Ohring et al. 1995), with the k-ary n-trees (Petrini and
// Vanneschi 1997), stars and hierarchies among them. All is arithmetic.

#include "topology/interconnect.hpp"

namespace thalweg::topology {

/// From the nodes up: how many children a switch of each level has, and how many parents each child.
struct FatTreeShape {
  std::vector<std::int32_t> children;
  std::vector<std::int32_t> parents;
};

/// What a fat tree may have of levels above the nodes.
inline constexpr std::int32_t max_levels = 32;

/// Fixed routes go up by the destination's number (D mod k: Zahavi 2010): from level l to the parent
/// floor(to / parents of the levels below) mod parents. Spread ones take all ways up equally often.
class FatTree final : public Interconnect {
public:
  FatTree(FatTreeShape shape, const InterconnectName& options);

  std::string name() const override;
  Place nodes() const override { return subtree_nodes_.back(); }
  std::int64_t hops(Place a, Place b) const override { return distance(meeting_level(a, b)); }
  std::int64_t diameter() const override;
  double mean_hops() const override;
  double bisection() const override;
  Link links() const override { return first_links_.back(); }
  Vertex vertices() const override { return first_vertices_.back(); }
  LinkEnds ends(Link link) const override;
  void append_route(Place from, Place to, std::vector<LinkShare>& route) const override;
  bool spreads() const override { return options_.routing != Routing::fixed; }
  double capacity(Link link) const override;
  std::string link_name(Link link) const override;
  const FatTreeShape& shape() const { return shape_; }

private:
  std::size_t levels() const { return shape_.children.size(); }
  /// The lowest level with a switch above both; 0 for a node and itself.
  std::size_t meeting_level(Place a, Place b) const;
  std::int64_t distance(std::size_t level) const;
  /// The cable from switch `way` (of those above the same nodes) of a level, above a node, to its parent.
  Link cable(std::size_t level, Place node, std::int64_t way, std::int64_t parent) const;
  std::size_t level_below(Link link) const;

  FatTreeShape shape_;
  InterconnectName options_;
  std::vector<Place> subtree_nodes_;   ///< below a switch of each level
  std::vector<std::int64_t> ways_;     ///< switches of each level that are above the same nodes
  std::vector<Vertex> first_vertices_; ///< of each level, and how many vertices there are
  std::vector<Link> first_links_;      ///< up from each level, and how many links there are
};

} // namespace thalweg::topology
