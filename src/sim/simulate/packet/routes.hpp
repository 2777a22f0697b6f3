// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Ways to route, each with its rule and its paper.

#include "simulate/packet/fabric.hpp"
#include "simulate/packet/routing.hpp"
#include "topology/dragonfly.hpp"
#include "topology/grid.hpp"

namespace thalweg::simulate::packet {

/// The interconnect's own fixed routes, on any network and as switches' forwarding tables have them. A packet
/// changes to the next virtual channel with each hop, so no circle of waiting packets can close (P. Merlin,
/// P. Schweitzer, "Deadlock avoidance in store-and-forward networks", 1980).
class AlongRoutes final : public Routing {
public:
  /// Throws Error where messages are spread over several routes, or routes have too many hops.
  explicit AlongRoutes(const Fabric& fabric);

  std::uint32_t virtual_channels() const override { return virtual_channels_; }
  Hop next(Packet& packet, std::uint32_t at, const Surroundings& surroundings) const override;

private:
  const Fabric& fabric_;
  std::uint32_t virtual_channels_ = 1;
  mutable std::vector<topology::LinkShare> route_; ///< of the packet at hand
};

// Up to a lowest common ancestor, then down the only way: trees' routes need no virtual channels, as no way
// up follows one down (F. Petrini, M. Vanneschi, "k-ary n-trees", 1997).

/// D mod k (E. Zahavi, "D-Mod-K routing", 2010): up from level l to the parent floor(to / w) mod parents, w
/// being the switches of level l above the same nodes. All packets to a node come down the same way, which is
/// the interconnect's own fixed route.
class UpByDestination final : public Routing {
public:
  UpByDestination(const Fabric& fabric, const topology::FatTree& tree)
      : fabric_(fabric), places_(fabric, tree) {}

  Hop next(Packet& packet, std::uint32_t at, const Surroundings& /*surroundings*/) const override {
    const std::uint32_t first = fabric_.first_channel(at);
    if (places_.reaches(at, packet.to))
      return {first + places_.down_port(at, packet.to), 0};
    const std::uint64_t parent = packet.to / places_.ways(at) % places_.up_ports(at);
    return {first + places_.down_ports(at) + static_cast<std::uint32_t>(parent), 0};
  }

private:
  const Fabric& fabric_;
  TreePlaces places_;
};

/// Up by the parent with the shortest queue, of several the first from a random one on (S. Kumar 2005,
/// chapter 8: "to any of the lowest common ancestors", adaptively; how ties end is not in the text).
class AdaptiveUp final : public Routing {
public:
  AdaptiveUp(const Fabric& fabric, const topology::FatTree& tree) : fabric_(fabric), places_(fabric, tree) {}

  Hop next(Packet& packet, std::uint32_t at, const Surroundings& surroundings) const override {
    const std::uint32_t first = fabric_.first_channel(at);
    if (places_.reaches(at, packet.to))
      return {first + places_.down_port(at, packet.to), 0};
    return {shortest(first + places_.down_ports(at), places_.up_ports(at), surroundings), 0};
  }

private:
  static std::uint32_t shortest(std::uint32_t first, std::uint32_t ports, const Surroundings& surroundings) {
    const std::uint32_t start = surroundings.random.below(ports);
    std::uint32_t found = first + start;
    std::uint32_t min = surroundings.load(found);
    for (std::uint32_t step = 1; step < ports; ++step) {
      const std::uint32_t port = first + (start + step < ports ? start + step : start + step - ports);
      if (const std::uint32_t load = surroundings.load(port); load < min) {
        found = port;
        min = load;
      }
    }
    return found;
  }

  const Fabric& fabric_;
  TreePlaces places_;
};

// Routes on meshes, hypercubes and tori. A ring of a torus has two virtual channels: a packet is in the first
// until it has crossed the link that closes the ring, and in the second from then on, or where it does not
// cross it (W. Dally, C. Seitz, "Deadlock-free message routing in multiprocessor interconnection networks",
// 1987).

/// Dimension 0 first, each the shorter way, forward where both are as long (e-cube: H. Sullivan, T. Bashkow
/// 1977).
class DimensionOrdered : public Routing {
public:
  DimensionOrdered(const Fabric& fabric, const topology::Grid& grid) : fabric_(fabric), grid_(grid) {}

  std::uint32_t virtual_channels() const override { return ring_channels(); }
  Hop next(Packet& packet, std::uint32_t at, const Surroundings& surroundings) const override;

protected:
  std::uint32_t ring_channels() const { return grid_.wraps() ? 2 : 1; }
  topology::Place place_of(std::uint32_t vertex) const;
  topology::Place node_place(std::uint32_t node) const { return fabric_.shape().switch_place(node); }
  /// Towards a place that is not this one.
  Hop step(topology::Place at, topology::Place to) const;

  const Fabric& fabric_;
  const topology::Grid& grid_;
};

/// To a place at random first, then to the node, both in dimension order, with virtual channels of their own
/// (L. Valiant, "A scheme for fast parallel communication", 1982).
class ValiantOnGrid : public DimensionOrdered {
public:
  using DimensionOrdered::DimensionOrdered;

  std::uint32_t virtual_channels() const override { return 2 * ring_channels(); }
  Hop next(Packet& packet, std::uint32_t at, const Surroundings& surroundings) const override;

protected:
  /// Chooses the place to go to first, in the packet's first switch.
  virtual topology::Place choose(topology::Place at, topology::Place to,
                                 const Surroundings& surroundings) const;
};

/// Valiant's detour where its first queue times its hops is shorter than the direct way's (UGAL: A. Singh,
/// "Load-balanced routing in interconnection networks", 2005).
class UgalOnGrid final : public ValiantOnGrid {
public:
  using ValiantOnGrid::ValiantOnGrid;

protected:
  topology::Place choose(topology::Place at, topology::Place to,
                         const Surroundings& surroundings) const override;
};

// Routes on dragonflies (J. Kim, W. Dally, S. Scott, D. Abts, "Technology-driven, highly-scalable dragonfly
// topology", 2008). The virtual channel is the number of links between groups that are behind a packet, which
// only grows, so there is no deadlock.

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
