// SPDX-License-Identifier: BSD-3-Clause
#include "topology/node_places.hpp"

#include "base/error.hpp"
#include "topology/node_groups.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace thalweg::topology {

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
