// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Dragonflies (Kim et al. 2008): groups of routers that are all linked to one another, and groups likewise.

#include "topology/interconnect.hpp"

namespace thalweg::topology {

/// P nodes on a router, A routers a group, H global links a router, G groups (at most A * H + 1, which is
/// usual). Two groups share one cable, in the absolute (consecutive) arrangement: global port k of router r,
/// number r * H + k of its group, leads to that group among the others, in order; ports beyond the last group
/// are free. Routes are minimal: within the group to the router with the cable, over it, and to the node's
/// router.
class Dragonfly final : public Interconnect {
public:
  /// `numbers` are P, A, H and maybe G.
  Dragonfly(const std::vector<std::int32_t>& numbers, const InterconnectName& options);

  std::string name() const override;
  Place nodes() const override { return groups_ * routers_ * per_router_; }
  std::int64_t hops(Place a, Place b) const override;
  std::int64_t diameter() const override;
  double mean_hops() const override;
  double bisection() const override;
  Link links() const override { return first_global_ + groups_ * routers_ * ports_; }
  Vertex vertices() const override { return nodes() + groups_ * routers_; }
  LinkEnds ends(Link link) const override;
  void append_route(Place from, Place to, std::vector<LinkShare>& route) const override;
  double capacity(Link link) const override;
  std::string link_name(Link link) const override;

  std::int64_t groups() const { return groups_; }
  std::int64_t routers_per_group() const { return routers_; }
  std::int64_t router_of(Place node) const { return node / per_router_; }
  /// The router of one group with the cable to another.
  std::int64_t gateway(std::int64_t group, std::int64_t other) const {
    return group * routers_ + port(group, other) / ports_;
  }
  /// The link from one group to another.
  Link global(std::int64_t group, std::int64_t other) const {
    return first_global_ + group * routers_ * ports_ + port(group, other);
  }
  /// The link from a router to another one of its group.
  Link local(std::int64_t router, std::int64_t other) const {
    return first_local_ + router * routers_ + other % routers_;
  }

private:
  static std::int64_t port(std::int64_t group, std::int64_t other) {
    return other < group ? other : other - 1;
  }

  std::int64_t per_router_;
  std::int64_t routers_; ///< of a group
  std::int64_t ports_;   ///< of a router, to other groups
  std::int64_t groups_;
  Link first_local_ = 0;
  Link first_global_ = 0;
  InterconnectName options_;
};

} // namespace thalweg::topology
