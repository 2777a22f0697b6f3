// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/along_routes.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::simulate::packet {

namespace {

constexpr std::uint32_t max_virtual_channels = 32;

} // namespace

// The first link has the first virtual channel, whoever has put the packet there.
AlongRoutes::AlongRoutes(const Fabric& fabric) : fabric_(fabric) {
  const topology::Interconnect& shape = fabric.shape();
  const std::string remedy = "choose another routing, or a network with fixed routes of up to 32 hops";
  if (shape.spreads())
    throw Error(fmt::format("{} spreads messages over several routes", shape.name()), remedy);
  std::size_t longest = 1;
  for (topology::Place from = 0; from < shape.nodes(); ++from)
    for (topology::Place to = 0; to < shape.nodes(); ++to) {
      route_.clear();
      shape.append_route(from, to, route_);
      longest = std::max(longest, route_.size());
    }
  if (longest > max_virtual_channels)
    throw Error(fmt::format("a route of {} hops on {}", longest, shape.name()), remedy);
  virtual_channels_ = static_cast<std::uint32_t>(longest);
}

Hop AlongRoutes::next(Packet& packet, std::uint32_t at, const Surroundings& /*surroundings*/) const {
  if (packet.phase == 0 && fabric_.shape_vertex(at) != packet.from)
    packet.phase = 1; // its cable to the first switch
  route_.clear();
  fabric_.shape().append_route(packet.from, packet.to, route_);
  if (packet.phase == route_.size())
    return {fabric_.channel_to_node(packet.to), 0};
  const std::uint8_t hop = packet.phase++;
  return {fabric_.channel_of(route_[hop].link), hop};
}

} // namespace thalweg::simulate::packet
