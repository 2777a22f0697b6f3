// SPDX-License-Identifier: BSD-3-Clause
#include "topology/dragonfly.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::topology {

namespace {

constexpr std::int64_t max_part = 1 << 14;
constexpr std::size_t kinds_of_links = 3;

} // namespace

Dragonfly::Dragonfly(const std::vector<std::int32_t>& numbers, const InterconnectName& options)
    : options_(options) {
  if (numbers.size() != 3 && numbers.size() != 4)
    options.refuse("is no dragonfly", "write dragonfly:NODESxROUTERSxGLOBAL, or …xGROUPS: dragonfly:2x4x2");
  if (*std::max_element(numbers.begin(), numbers.begin() + 3) > max_part)
    options.refuse("is too large", fmt::format("choose numbers up to {}", max_part));
  per_router_ = numbers[0];
  routers_ = numbers[1];
  ports_ = numbers[2];
  groups_ = numbers.size() == 4 ? numbers[3] : routers_ * ports_ + 1;
  if (groups_ > routers_ * ports_ + 1)
    options.refuse(fmt::format("has more than {} groups", routers_ * ports_ + 1),
                   "each group has a link to each other one: choose more global links a router");
  if (options.routing != Routing::fixed || !options.distances.empty())
    options.refuse("has an option of others", "dragonflies have capacity=NODES:LOCAL:GLOBAL");
  if (!options.capacities.empty() && options.capacities.size() != kinds_of_links)
    options.refuse(fmt::format("has {} capacities", options.capacities.size()),
                   "give 3: of nodes' links, in groups, and between groups");
  first_local_ = 2 * nodes();
  first_global_ = first_local_ + groups_ * routers_ * routers_;
}

std::string Dragonfly::name() const {
  const std::string groups = groups_ == routers_ * ports_ + 1 ? "" : fmt::format("x{}", groups_);
  return fmt::format("dragonfly:{}x{}x{}{}{}", per_router_, routers_, ports_, groups, options_text(options_));
}

std::int64_t Dragonfly::hops(Place a, Place b) const {
  if (a == b)
    return 0;
  const std::int64_t from = router_of(a);
  const std::int64_t to = router_of(b);
  const std::int64_t group = from / routers_;
  const std::int64_t other = to / routers_;
  if (group == other)
    return from == to ? 2 : 3;
  return 3 + (gateway(group, other) == from ? 0 : 1) + (gateway(other, group) == to ? 0 : 1);
}

std::int64_t Dragonfly::diameter() const {
  if (nodes() == 1)
    return 0;
  if (routers_ == 1)
    return groups_ > 1 ? 3 : 2;
  return groups_ > 1 ? 5 : 3;
}

double Dragonfly::mean_hops() const {
  if (nodes() == 1)
    return 0;
  const auto per_router = static_cast<double>(per_router_);
  const auto group = static_cast<double>(routers_) * per_router;
  // A message to another group leaves a router that is not the gateway in all but one of `routers_` cases.
  const double elsewhere = 1 - 1 / static_cast<double>(routers_);
  const double sum = 2 * (per_router - 1) + 3 * (group - per_router) +
                     (3 + 2 * elsewhere) * (static_cast<double>(nodes()) - group);
  return sum / static_cast<double>(nodes() - 1);
}

double Dragonfly::bisection() const {
  const auto rate = [&](std::size_t kind) {
    return options_.capacities.empty()
               ? 1
               : std::min(options_.capacities[kind].forward, options_.capacities[kind].backward);
  };
  const auto across = [](std::int64_t parts) {
    return static_cast<double>((parts / 2) * (parts - parts / 2));
  };
  const double at_nodes = static_cast<double>(nodes() / 2) * rate(0);
  if (groups_ > 1)
    return std::min(at_nodes, across(groups_) * rate(2));
  return routers_ > 1 ? std::min(at_nodes, across(routers_) * rate(1)) : at_nodes;
}

LinkEnds Dragonfly::ends(Link link) const {
  THALWEG_ASSERT(normal, link >= 0 && link < links());
  const auto vertex = [&](std::int64_t router) { return nodes() + router; };
  if (link < first_local_) {
    const LinkEnds up{link / 2, vertex(router_of(link / 2))};
    return link % 2 == 0 ? up : LinkEnds{up.to, up.from};
  }
  if (link < first_global_) {
    const std::int64_t router = (link - first_local_) / routers_;
    const std::int64_t other = router / routers_ * routers_ + (link - first_local_) % routers_;
    return router == other ? LinkEnds{} : LinkEnds{vertex(router), vertex(other)};
  }
  const std::int64_t group = (link - first_global_) / (routers_ * ports_);
  const std::int64_t number = (link - first_global_) % (routers_ * ports_);
  const std::int64_t other = number < group ? number : number + 1;
  return other < groups_ ? LinkEnds{vertex(gateway(group, other)), vertex(gateway(other, group))}
                         : LinkEnds{};
}

void Dragonfly::append_route(Place from, Place to, std::vector<LinkShare>& route) const {
  THALWEG_ASSERT(normal, from >= 0 && from < nodes() && to >= 0 && to < nodes());
  if (from == to)
    return;
  [[maybe_unused]] const std::size_t begin = route.size();
  route.push_back({2 * from, 1});
  std::int64_t at = router_of(from);
  const std::int64_t last = router_of(to);
  const std::int64_t group = at / routers_;
  const std::int64_t other = last / routers_;
  if (group != other) {
    if (const std::int64_t door = gateway(group, other); at != door)
      route.push_back({local(at, door), 1});
    route.push_back({global(group, other), 1});
    at = gateway(other, group);
  }
  if (at != last)
    route.push_back({local(at, last), 1});
  route.push_back({2 * to + 1, 1});
  THALWEG_ASSERT(normal, static_cast<std::int64_t>(route.size() - begin) == hops(from, to));
}

double Dragonfly::capacity(Link link) const {
  if (options_.capacities.empty())
    return 1;
  if (link < first_local_)
    return link % 2 == 0 ? options_.capacities[0].forward : options_.capacities[0].backward;
  // Of two routers, or groups, the way to the one with the greater number is forward.
  const LinkEnds two = ends(link);
  const Capacity& rate = options_.capacities[link < first_global_ ? 1 : 2];
  return two.from <= two.to ? rate.forward : rate.backward;
}

std::string Dragonfly::link_name(Link link) const {
  if (link < first_local_)
    return fmt::format("node {} {}", link / 2, link % 2 == 0 ? "up" : "down");
  const bool is_local = link < first_global_;
  const std::int64_t router = is_local ? (link - first_local_) / routers_ : (link - first_global_) / ports_;
  return is_local ? fmt::format("router {} to {}", router,
                                router / routers_ * routers_ + (link - first_local_) % routers_)
                  : fmt::format("router {} global {}", router, (link - first_global_) % ports_);
}

} // namespace thalweg::topology
