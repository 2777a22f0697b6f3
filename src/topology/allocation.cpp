#include "topology/allocation.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace thalweg::topology {

namespace {

/// The largest network whose links are kept one by one.
constexpr std::int32_t hosts_max = 1 << 20;

std::int32_t hosts_of(const Allocation& allocation) {
  if (allocation.hosts > 0)
    return allocation.hosts;
  const std::int32_t needed = std::ranges::max(allocation.places) + 1;
  return std::max(needed, Network::hosts_of(allocation.network));
}

/// The network, if it can be; else says why.
void find_network(const Allocation& allocation, std::int32_t hosts, LocatedNodes& found) {
  if (hosts > hosts_max) {
    found.why_unknown = fmt::format("a network of {} hosts is too large, {} are the most", hosts, hosts_max);
    return;
  }
  try {
    found.network.emplace(allocation.network, hosts);
  } catch (const Error& error) {
    found.why_unknown = error.problem();
  }
}

} // namespace

LocatedNodes locate(const Allocation& allocation, std::int32_t nodes) {
  LocatedNodes found;
  if (allocation.places.empty()) {
    if (!allocation.network.empty())
      find_network(allocation, nodes, found);
    if (found.network) {
      found.places.resize(static_cast<std::size_t>(nodes));
      std::iota(found.places.begin(), found.places.end(), 0);
    }
    return found;
  }
  if (std::ssize(allocation.places) != nodes)
    throw Error(fmt::format("{} places of {} nodes", allocation.places.size(), nodes),
                "give the place of each node, or none");
  const auto unknown = std::ranges::count_if(allocation.places, [](std::int32_t place) { return place < 0; });
  if (unknown > 0) {
    found.why_unknown = fmt::format("the places of {} of {} nodes are not known", unknown, nodes);
    return found;
  }
  found.places = allocation.places;
  if (allocation.network.empty())
    return found;
  const std::int32_t hosts = hosts_of(allocation);
  if (std::ranges::max(allocation.places) >= hosts)
    found.why_unknown =
        fmt::format("place {} is beyond the network's {} hosts", std::ranges::max(allocation.places), hosts);
  else
    find_network(allocation, hosts, found);
  if (!found.network)
    found.places.clear();
  return found;
}

} // namespace thalweg::topology
