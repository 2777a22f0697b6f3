// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Routes on dragonflies (J. Kim, W. Dally, S. Scott, D. Abts, "Technology-driven, highly-scalable dragonfly
// topology", 2008). The virtual channel is the number of links between groups that are behind a packet, which
// only grows, so there is no deadlock.

#include "simulate/packet/routing.hpp"
#include "topology/dragonfly.hpp"

namespace thalweg::simulate::packet {

/// Within the group to the router with the link to the other group, over it, and to the node's router.
class MinimalOnDragonfly : public Routing {
public:
  MinimalOnDragonfly(const Fabric& fabric, const topology::Dragonfly& dragonfly)
      : fabric_(fabric), dragonfly_(dragonfly) {}

  std::uint32_t virtual_channels() const override { return 2; }
  Hop next(Packet& packet, std::uint32_t at, const Surroundings& surroundings) const override;

protected:
  std::int64_t router_at(std::uint32_t vertex) const { return vertex - fabric_.nodes(); }
  std::int64_t group_of(std::int64_t router) const { return router / dragonfly_.routers_per_group(); }
  /// From a router towards a group that is not its own.
  std::uint32_t towards(std::int64_t router, std::int64_t group) const;
  /// The channel to a node, or towards it; counts links between groups in the packet's phase.
  Hop onward(Packet& packet, std::int64_t router) const;
  Hop leave(Packet& packet, std::int64_t router, std::int64_t group) const;

  const Fabric& fabric_;
  const topology::Dragonfly& dragonfly_;
};

/// By a group at random, where the node is in another group than the sender.
class ValiantOnDragonfly : public MinimalOnDragonfly {
public:
  using MinimalOnDragonfly::MinimalOnDragonfly;

  std::uint32_t virtual_channels() const override { return 3; }
  Hop next(Packet& packet, std::uint32_t at, const Surroundings& surroundings) const override;

protected:
  /// The group to go to first; the sender's own: none. The two groups are not the same.
  virtual std::int64_t choose(std::int64_t router, const Packet& packet,
                              const Surroundings& surroundings) const;
};

/// UGAL with what a router sees itself (UGAL-L there): the detour where its first queue times its hops is
/// shorter than the minimal way's.
class UgalOnDragonfly final : public ValiantOnDragonfly {
public:
  using ValiantOnDragonfly::ValiantOnDragonfly;

protected:
  std::int64_t choose(std::int64_t router, const Packet& packet,
                      const Surroundings& surroundings) const override;
};

} // namespace thalweg::simulate::packet
