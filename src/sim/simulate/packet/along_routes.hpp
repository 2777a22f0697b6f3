// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The interconnect's own fixed routes, on any network and as switches' forwarding tables have them. A packet
// changes to the next virtual channel with each hop, so no circle of waiting packets can close (P. Merlin,
// P. Schweitzer, "Deadlock avoidance in store-and-forward networks", 1980).

#include "simulate/packet/routing.hpp"

namespace thalweg::simulate::packet {

class AlongRoutes final : public Routing {
public:
  /// Throws Error where messages are spread over several routes, or routes have too many hops.
  explicit AlongRoutes(const Fabric& fabric);

  std::uint32_t virtual_channels() const override { return virtual_channels_; }
  Hop next(Packet& packet, std::uint32_t at, const Surroundings& surroundings) const override;

private:
  const Fabric& fabric_;
  std::uint32_t virtual_channels_ = 1;
  mutable std::vector<topology::LinkShare> route_; // of the packet at hand
};

} // namespace thalweg::simulate::packet
