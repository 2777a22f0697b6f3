// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/routes.hpp"

#include "base/error.hpp"
#include "simulate/packet/routing.hpp"
#include "topology/graph_interconnect.hpp"
#include "topology/grid_interconnect.hpp"

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

std::uint32_t MinimalOnDragonfly::towards(std::int64_t router, std::int64_t group) const {
  const std::int64_t own = group_of(router);
  const std::int64_t gateway = dragonfly_.gateway(own, group);
  return fabric_.channel_of(router == gateway ? dragonfly_.global(own, group)
                                              : dragonfly_.local(router, gateway));
}

Hop MinimalOnDragonfly::leave(Packet& packet, std::int64_t router, std::int64_t group) const {
  const Hop hop{towards(router, group), packet.phase};
  if (router == dragonfly_.gateway(group_of(router), group))
    ++packet.phase;
  return hop;
}

Hop MinimalOnDragonfly::onward(Packet& packet, std::int64_t router) const {
  const std::int64_t last = dragonfly_.router_of(packet.to);
  if (router == last)
    return {fabric_.channel_to_node(packet.to), 0};
  if (group_of(router) != group_of(last))
    return leave(packet, router, group_of(last));
  return {fabric_.channel_of(dragonfly_.local(router, last)), packet.phase};
}

Hop MinimalOnDragonfly::next(Packet& packet, std::uint32_t at, const Surroundings& /*surroundings*/) const {
  return onward(packet, router_at(at));
}

std::int64_t ValiantOnDragonfly::choose(std::int64_t /*router*/, const Packet& /*packet*/,
                                        const Surroundings& surroundings) const {
  return surroundings.random.below(static_cast<std::uint32_t>(dragonfly_.groups()));
}

Hop ValiantOnDragonfly::next(Packet& packet, std::uint32_t at, const Surroundings& surroundings) const {
  const std::int64_t router = router_at(at);
  const std::int64_t own = group_of(router);
  if (packet.via == none) {
    const bool is_near = own == group_of(dragonfly_.router_of(packet.to));
    packet.via = static_cast<std::uint32_t>(is_near ? own : choose(router, packet, surroundings));
    if (packet.via == own)
      packet.via = static_cast<std::uint32_t>(group_of(dragonfly_.router_of(packet.to)));
  }
  const bool goes_by = packet.phase == 0 && packet.via != own;
  return goes_by ? leave(packet, router, packet.via) : onward(packet, router);
}

std::int64_t UgalOnDragonfly::choose(std::int64_t router, const Packet& packet,
                                     const Surroundings& surroundings) const {
  const std::int64_t own = group_of(router);
  const std::int64_t last = dragonfly_.router_of(packet.to);
  const std::int64_t other = group_of(last);
  const std::int64_t detour = ValiantOnDragonfly::choose(router, packet, surroundings);
  if (detour == own || detour == other)
    return own;
  const auto hops = [&](std::int64_t from, std::int64_t to_group) {
    return 1 + (from == dragonfly_.gateway(group_of(from), to_group) ? 0 : 1);
  };
  const auto after = [&](std::int64_t group) { return dragonfly_.gateway(other, group) == last ? 0 : 1; };
  const std::int64_t direct = hops(router, other) + after(own);
  const std::int64_t longer =
      hops(router, detour) + hops(dragonfly_.gateway(detour, own), other) + after(detour);
  const auto queue = [&](std::int64_t group) {
    return static_cast<std::int64_t>(surroundings.load(towards(router, group)));
  };
  return queue(detour) * longer < queue(other) * direct ? detour : own;
}

namespace {

std::unique_ptr<Routing> tree_routing(std::string_view name, const Fabric& fabric,
                                      const topology::FatTree& tree) {
  if (name.empty() || name == "adaptive_up")
    return std::make_unique<AdaptiveUp>(fabric, tree);
  if (name == "up_by_destination")
    return std::make_unique<UpByDestination>(fabric, tree);
  return nullptr;
}

std::unique_ptr<Routing> grid_routing(std::string_view name, const Fabric& fabric,
                                      const topology::Grid& grid) {
  if (name.empty() || name == "dimension_ordered")
    return std::make_unique<DimensionOrdered>(fabric, grid);
  if (name == "valiant")
    return std::make_unique<ValiantOnGrid>(fabric, grid);
  if (name == "ugal")
    return std::make_unique<UgalOnGrid>(fabric, grid);
  return nullptr;
}

std::unique_ptr<Routing> dragonfly_routing(std::string_view name, const Fabric& fabric,
                                           const topology::Dragonfly& dragonfly) {
  if (name.empty() || name == "minimal")
    return std::make_unique<MinimalOnDragonfly>(fabric, dragonfly);
  if (name == "valiant")
    return std::make_unique<ValiantOnDragonfly>(fabric, dragonfly);
  if (name == "ugal")
    return std::make_unique<UgalOnDragonfly>(fabric, dragonfly);
  return nullptr;
}

} // namespace

std::unique_ptr<Routing> make_routing(std::string_view name, const Fabric& fabric) {
  const topology::Interconnect& shape = fabric.shape();
  std::unique_ptr<Routing> routing;
  const bool is_graph = dynamic_cast<const topology::GraphInterconnect*>(&shape) != nullptr;
  if (name == "along_routes" || (name.empty() && is_graph))
    routing = std::make_unique<AlongRoutes>(fabric);
  else if (const auto* tree = dynamic_cast<const topology::FatTree*>(&shape); tree != nullptr)
    routing = tree_routing(name, fabric, *tree);
  else if (const auto* dragonfly = dynamic_cast<const topology::Dragonfly*>(&shape); dragonfly != nullptr)
    routing = dragonfly_routing(name, fabric, *dragonfly);
  else if (shape.switch_grid() != nullptr)
    routing = grid_routing(name, fabric, *shape.switch_grid());
  if (routing == nullptr)
    throw Error(
        fmt::format("no routing '{}' of packets on {}", name, shape.name()),
        "choose adaptive_up or up_by_destination on trees; dimension_ordered, valiant or ugal on meshes and "
        "tori; minimal, valiant or ugal on dragonflies; along_routes on any network");
  return routing;
}

std::unique_ptr<Routing> own_routing(const Fabric& fabric) {
  const bool is_tree = dynamic_cast<const topology::FatTree*>(&fabric.shape()) != nullptr;
  return make_routing(is_tree && !fabric.shape().spreads() ? "up_by_destination" : "", fabric);
}

} // namespace thalweg::simulate::packet
