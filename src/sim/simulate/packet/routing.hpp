// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where a packet goes next. Ways to route are in routes.hpp, each with its rule and its paper.

#include "base/random.hpp"
#include "simulate/packet/packet.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace thalweg::simulate::packet {

/// What a switch may look at, and dice.
struct Surroundings {
  std::span<const std::uint32_t> queued; ///< packets that wait for each channel
  std::span<const Ticks> free_at;        ///< when each has sent what it sends
  Ticks now = 0;
  Random& random;

  /// Packets that wait for a channel or leave by it.
  std::uint32_t load(std::uint32_t channel) const {
    return queued[channel] + (free_at[channel] > now ? 1 : 0);
  }
};

/// An output of a vertex, and the virtual channel to leave in.
struct Hop {
  std::uint32_t channel = none;
  std::uint8_t virtual_channel = 0;
};

class Routing {
public:
  Routing() = default;
  Routing(const Routing&) = delete;
  Routing& operator=(const Routing&) = delete;
  virtual ~Routing() = default;

  /// How many virtual channels keep it from deadlocks.
  virtual std::uint32_t virtual_channels() const { return 1; }
  /// From the switch that a packet has come to. It may note something in `phase` and `via`.
  virtual Hop next(Packet& packet, std::uint32_t at, const Surroundings& surroundings) const = 0;
};

/// By name: up_by_destination, adaptive_up (trees), dimension_ordered (meshes and tori), minimal
/// (dragonflies), valiant, ugal (tori, meshes and dragonflies), along_routes (any). Empty: adaptive_up,
/// dimension_ordered, minimal, or along_routes on graphs. Throws Error where the network has no such routing.
std::unique_ptr<Routing> make_routing(std::string_view name, const Fabric& fabric);

/// As the interconnect's own routes are: up_by_destination on trees, adaptive_up where they spread messages;
/// the others as without a name.
std::unique_ptr<Routing> own_routing(const Fabric& fabric);

} // namespace thalweg::simulate::packet
