// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What tests of interconnects ask of links and routes, by search instead of by closed forms.

#include "topology/interconnect.hpp"

#include <map>

namespace thalweg::topology {

/// Links from each vertex to one vertex by breadth-first search over all links; -1 where no way leads there.
/// Nodes pass nothing on where there are switches.
inline std::vector<std::int64_t> searched_hops(const Interconnect& machine, Vertex to) {
  std::vector<std::int64_t> hops(static_cast<std::size_t>(machine.vertices()), -1);
  std::vector<Vertex> queue{to};
  hops[static_cast<std::size_t>(to)] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    if (head > 0 && queue[head] < machine.nodes() && machine.vertices() > machine.nodes())
      continue;
    for (Link link = 0; link < machine.links(); ++link)
      if (const LinkEnds ends = machine.ends(link); ends.to == queue[head] && ends.from >= 0)
        if (std::int64_t& known = hops[static_cast<std::size_t>(ends.from)]; known < 0) {
          known = hops[static_cast<std::size_t>(ends.to)] + 1;
          queue.push_back(ends.from);
        }
  }
  return hops;
}

/// How many shortest routes there are from each vertex, given the hops to their end.
inline std::vector<double> counted_routes(const Interconnect& machine, Vertex to,
                                          const std::vector<std::int64_t>& hops) {
  std::vector<double> routes(hops.size());
  routes[static_cast<std::size_t>(to)] = 1;
  for (std::int64_t away = 1; away <= machine.diameter(); ++away)
    for (Link link = 0; link < machine.links(); ++link)
      if (const LinkEnds ends = machine.ends(link); ends.from >= 0)
        if (hops[static_cast<std::size_t>(ends.from)] == away &&
            hops[static_cast<std::size_t>(ends.to)] == away - 1)
          routes[static_cast<std::size_t>(ends.from)] += routes[static_cast<std::size_t>(ends.to)];
  return routes;
}

/// What each link carries where all shortest routes are taken equally often.
inline std::map<Link, double> equal_shares(const Interconnect& machine, Place from, Place to) {
  const std::vector<std::int64_t> hops = searched_hops(machine, to);
  const std::vector<double> routes = counted_routes(machine, to, hops);
  std::map<Vertex, double> here{{from, 1.0}};
  std::map<Link, double> shares;
  while (!here.contains(to)) {
    std::map<Vertex, double> ahead;
    for (Link link = 0; link < machine.links(); ++link) {
      const LinkEnds ends = machine.ends(link);
      if (ends.from < 0 || !here.contains(ends.from) ||
          hops[static_cast<std::size_t>(ends.to)] != hops[static_cast<std::size_t>(ends.from)] - 1)
        continue;
      shares[link] = here[ends.from] * routes[static_cast<std::size_t>(ends.to)] /
                     routes[static_cast<std::size_t>(ends.from)];
      ahead[ends.to] += shares[link];
    }
    here = std::move(ahead);
  }
  return shares;
}

} // namespace thalweg::topology
