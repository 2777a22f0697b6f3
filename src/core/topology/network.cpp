// SPDX-License-Identifier: BSD-3-Clause
#include "topology/network.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "topology/node_groups.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace thalweg::topology {

namespace {

std::uint64_t key(const NetworkLink& link) {
  return static_cast<std::uint64_t>(link.from) << 32 | static_cast<std::uint64_t>(link.to);
}

/// With cables between hosts and switches, also where each switch has one host.
std::shared_ptr<const Interconnect> cabled(std::string_view shape, std::int32_t hosts) {
  auto machine = parse_interconnect(shape, hosts);
  if (machine->grid() == nullptr)
    return machine;
  const std::string name = machine->name();
  const std::size_t comma = std::min(name.find(','), name.size());
  return parse_interconnect(name.substr(0, comma) + "*1" + name.substr(comma));
}

} // namespace

Network::Network(std::string_view shape, std::int32_t hosts) : shape_(shape), hosts_(hosts) {
  if (hosts < 1)
    throw Error(fmt::format("a network of {} hosts cannot be", hosts), "choose a number above 0");
  interconnect_ = cabled(shape, hosts);
  const Place nodes = interconnect_->nodes();
  if (nodes != hosts && !(shape.starts_with("fat-tree:") && nodes > hosts))
    throw Error(fmt::format("'{}' has {} places, not {}", shape_, nodes, hosts),
                "choose numbers whose product is the number of hosts");
  if (interconnect_->spreads())
    throw Error(fmt::format("'{}' has no fixed routes", shape_), "leave route= and 'routing spread' out");
  switches_ = static_cast<std::int32_t>(interconnect_->vertices() - nodes);
  links_.resize(2 * static_cast<std::size_t>(hosts), {-1, -1});
  for (Link link = 0; link < interconnect_->links(); ++link)
    if (const LinkEnds ends = interconnect_->ends(link); ends.from >= 0 && ends.from < hosts)
      add_host({vertex(ends.from), vertex(ends.to)});
  for (Link link = 0; link < interconnect_->links(); ++link)
    if (const LinkEnds ends = interconnect_->ends(link); ends.from >= nodes && ends.to >= nodes)
      add_cable({vertex(ends.from), vertex(ends.to)});
}

std::int32_t Network::hosts_of(std::string_view shape) {
  try {
    return static_cast<std::int32_t>(std::min<Place>(parse_interconnect(shape)->nodes(), INT32_MAX));
  } catch (const Error&) {
    return 0;
  }
}

std::int32_t Network::vertex(Vertex at) const {
  THALWEG_ASSERT(normal, at >= 0 && at < interconnect_->vertices());
  return static_cast<std::int32_t>(at < interconnect_->nodes() ? at : at - interconnect_->nodes() + hosts_);
}

void Network::add_host(NetworkLink up) {
  NetworkLink& known = links_[static_cast<std::size_t>(link_from(up.from))];
  if (known.from >= 0 || up.to < hosts_)
    throw Error(fmt::format("on '{}' host {} has not one cable to a switch", shape_, up.from),
                "choose a network whose nodes have one cable each");
  known = up;
  links_[static_cast<std::size_t>(link_to(up.from))] = {up.to, up.from};
  numbers_.emplace(key(up), link_from(up.from));
  numbers_.emplace(key({up.to, up.from}), link_to(up.from));
}

void Network::add_cable(NetworkLink there) {
  if (numbers_.contains(key(there)))
    return;
  for (const NetworkLink& link : {there, NetworkLink{there.to, there.from}}) {
    numbers_.emplace(key(link), static_cast<std::int32_t>(links_.size()));
    links_.push_back(link);
  }
}

std::vector<std::int32_t> Network::forwarding(std::int32_t host) const {
  std::vector<std::int32_t> next(static_cast<std::size_t>(switches_), -1);
  for (std::int32_t from = 0; from < hosts_; ++from)
    for (const std::int32_t number : route(from, host))
      if (const NetworkLink& link = links_[static_cast<std::size_t>(number)]; link.from >= hosts_)
        next[static_cast<std::size_t>(link.from - hosts_)] = link.to;
  next[static_cast<std::size_t>(switch_of(host) - hosts_)] = host;
  return next;
}

std::vector<std::int32_t> Network::route(std::int32_t from, std::int32_t to) const {
  std::vector<LinkShare> shares;
  THALWEG_ASSERT(normal, from >= 0 && from < hosts_ && to >= 0 && to < hosts_);
  interconnect_->append_route(from, to, shares);
  std::vector<std::int32_t> links;
  for (const LinkShare& share : shares) {
    const LinkEnds ends = interconnect_->ends(share.link);
    links.push_back(numbers_.at(key({vertex(ends.from), vertex(ends.to)})));
  }
  return links;
}

std::optional<Grid> Network::grid() const {
  const Grid* grid = interconnect_->switch_grid();
  return grid == nullptr || grid->places() != hosts_ ? std::nullopt : std::optional(*grid);
}

namespace {

/// The largest network whose links are kept one by one.
constexpr std::int32_t hosts_max = 1 << 20;

std::int32_t hosts_of(const NodePlaces& known) {
  if (known.hosts > 0)
    return known.hosts;
  const std::int32_t needed = std::ranges::max(known.places) + 1;
  return std::max(needed, Network::hosts_of(known.network));
}

/// The network, if it can be; else says why.
void find_network(const NodePlaces& known, std::int32_t hosts, LocatedNodes& found) {
  if (hosts > hosts_max) {
    found.why_unknown = fmt::format("a network of {} hosts is too large, {} are the most", hosts, hosts_max);
    return;
  }
  try {
    found.network.emplace(known.network, hosts);
  } catch (const Error& error) {
    found.why_unknown = error.problem();
  }
}

} // namespace

LocatedNodes locate(const NodePlaces& known, std::int32_t nodes) {
  LocatedNodes found;
  if (known.places.empty()) {
    if (!known.network.empty())
      find_network(known, nodes, found);
    if (found.network) {
      found.places.resize(static_cast<std::size_t>(nodes));
      std::iota(found.places.begin(), found.places.end(), 0);
    }
    return found;
  }
  if (std::ssize(known.places) != nodes)
    throw Error(fmt::format("{} places of {} nodes", known.places.size(), nodes),
                "give the place of each node, or none");
  const auto unknown = std::ranges::count_if(known.places, [](std::int32_t place) { return place < 0; });
  if (unknown > 0) {
    found.why_unknown = fmt::format("the places of {} of {} nodes are not known", unknown, nodes);
    return found;
  }
  found.places = known.places;
  if (known.network.empty())
    return found;
  const std::int32_t hosts = hosts_of(known);
  if (std::ranges::max(known.places) >= hosts)
    found.why_unknown =
        fmt::format("place {} is beyond the network's {} hosts", std::ranges::max(known.places), hosts);
  else
    find_network(known, hosts, found);
  if (!found.network)
    found.places.clear();
  return found;
}

std::vector<std::int32_t> leaves_of(const NodePlaces& known, std::span<const std::int32_t> nodes) {
  if (nodes.empty())
    return {};
  const LocatedNodes located = locate(known, std::ranges::max(nodes) + 1);
  if (!located.network)
    return {};
  std::vector<std::int32_t> switches;
  for (const std::int32_t node : nodes)
    switches.push_back(located.network->switch_of(located.places[static_cast<std::size_t>(node)]) -
                       located.network->hosts());
  NodeGroups groups = node_groups(static_cast<std::int32_t>(switches.size()), &switches);
  return groups.count() > 1 ? std::move(groups.group_of) : std::vector<std::int32_t>{};
}

} // namespace thalweg::topology
