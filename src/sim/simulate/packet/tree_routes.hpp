// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Up to a lowest common ancestor, then down the only way: trees' routes need no virtual channels, as no way
// up follows one down (F. Petrini, M. Vanneschi, "k-ary n-trees", 1997).

#include "simulate/packet/routing.hpp"
#include "simulate/packet/tree_places.hpp"

namespace thalweg::simulate::packet {

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

} // namespace thalweg::simulate::packet
