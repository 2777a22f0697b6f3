// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/dragonfly_routes.hpp"

namespace thalweg::simulate::packet {

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

} // namespace thalweg::simulate::packet
