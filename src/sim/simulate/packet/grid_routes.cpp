// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/grid_routes.hpp"

#include "topology/grid_routes.hpp"

namespace thalweg::simulate::packet {

using topology::Place;

Place DimensionOrdered::place_of(std::uint32_t vertex) const {
  return vertex - fabric_.nodes(); // switches follow the nodes, whether the interconnect has both or not
}

Hop DimensionOrdered::step(Place at, Place to) const {
  for (std::size_t dimension = 0; dimension < grid_.dimensions(); ++dimension) {
    const std::int64_t ahead = topology::steps_ahead(grid_, at, to, dimension);
    if (ahead == 0)
      continue;
    const bool is_forward = ahead > 0;
    const std::int32_t here = grid_.coordinate(at, dimension);
    const std::int32_t there = grid_.coordinate(to, dimension);
    const bool will_close = is_forward ? there < here : there > here;
    const std::uint32_t channel = fabric_.channel_of(topology::grid_link(grid_, at, dimension, is_forward));
    return {channel, static_cast<std::uint8_t>(grid_.wraps() && !will_close ? 1 : 0)};
  }
  return {};
}

Hop DimensionOrdered::next(Packet& packet, std::uint32_t at, const Surroundings& /*surroundings*/) const {
  const Place here = place_of(at);
  const Place there = node_place(packet.to);
  return here == there ? Hop{fabric_.channel_to_node(packet.to), 0} : step(here, there);
}

Place ValiantOnGrid::choose(Place /*at*/, Place /*to*/, const Surroundings& surroundings) const {
  return surroundings.random.below(static_cast<std::uint32_t>(grid_.places()));
}

Hop ValiantOnGrid::next(Packet& packet, std::uint32_t at, const Surroundings& surroundings) const {
  const Place here = place_of(at);
  const Place there = node_place(packet.to);
  if (packet.via == none)
    packet.via = static_cast<std::uint32_t>(choose(here, there, surroundings));
  if (packet.phase == 0 && here == packet.via)
    packet.phase = 1;
  if (packet.phase == 1 && here == there)
    return {fabric_.channel_to_node(packet.to), 0};
  Hop hop = step(here, packet.phase == 0 ? packet.via : there);
  hop.virtual_channel = static_cast<std::uint8_t>(hop.virtual_channel + packet.phase * ring_channels());
  return hop;
}

Place UgalOnGrid::choose(Place at, Place to, const Surroundings& surroundings) const {
  const Place detour = ValiantOnGrid::choose(at, to, surroundings);
  if (at == to || detour == at)
    return at;
  const auto cost = [&](Place first, std::int64_t hops) {
    return static_cast<std::int64_t>(surroundings.load(step(at, first).channel)) * hops;
  };
  const std::int64_t direct = cost(to, grid_.hops(at, to));
  return cost(detour, grid_.hops(at, detour) + grid_.hops(detour, to)) < direct ? detour : at;
}

} // namespace thalweg::simulate::packet
