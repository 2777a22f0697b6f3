// SPDX-License-Identifier: BSD-3-Clause
#include "job/group_places.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace thalweg::job {

namespace {

GroupPlaces::Numbers shared(std::vector<std::int32_t> numbers) {
  return std::make_shared<const std::vector<std::int32_t>>(std::move(numbers));
}

/// The entries of `of_whole` for these ranks, numbered anew in order of first appearance.
std::vector<std::int32_t> renumbered(const std::vector<int>& of_whole, std::span<const Rank> ranks) {
  std::unordered_map<int, std::int32_t> numbers;
  std::vector<std::int32_t> found;
  found.reserve(ranks.size());
  for (const Rank rank : ranks) {
    const int number = of_whole[static_cast<std::size_t>(rank)];
    found.push_back(numbers.try_emplace(number, static_cast<std::int32_t>(numbers.size())).first->second);
  }
  return found;
}

std::int32_t count_of(const std::vector<std::int32_t>& numbers) {
  return numbers.empty() ? 0 : std::ranges::max(numbers) + 1;
}

/// Null where there are not more than `count_max`.
GroupPlaces::Numbers if_more_than(std::int32_t count_max, const std::vector<int>& of_whole,
                                  std::span<const Rank> ranks) {
  if (of_whole.empty())
    return nullptr;
  std::vector<std::int32_t> found = renumbered(of_whole, ranks);
  return count_of(found) > count_max ? shared(std::move(found)) : nullptr;
}

topology::NodePlaces part_of_network(const topology::NodePlaces& whole, const std::vector<int>& whole_nodes,
                                     const GroupPlaces& part, std::span<const Rank> ranks) {
  topology::NodePlaces found{whole.network, whole.hosts, {}};
  if (whole.places.empty())
    return found;
  found.places.resize(static_cast<std::size_t>(part.node_count));
  for (std::size_t own = 0; own < ranks.size(); ++own) {
    const int node = whole_nodes[static_cast<std::size_t>(ranks[own])];
    found.places[static_cast<std::size_t>((*part.nodes)[own])] = whole.places[static_cast<std::size_t>(node)];
  }
  return found;
}

} // namespace

GroupPlaces places_of(const Placement& placement) {
  GroupPlaces places;
  places.nodes = shared(placement.nodes);
  places.sockets = placement.sockets.empty() ? nullptr : shared(placement.sockets);
  places.leaves = placement.leaves.empty() ? nullptr : shared(placement.leaves);
  places.node_count = placement.node_count;
  return places;
}

GroupPlaces places_of_part(const Placement& whole, const topology::NodePlaces& in_network,
                           std::span<const Rank> ranks) {
  THALWEG_ASSERT(heavy, std::ranges::all_of(ranks, [&](Rank rank) {
                   return rank >= 0 && static_cast<std::size_t>(rank) < whole.nodes.size();
                 }));
  GroupPlaces places;
  places.nodes = shared(renumbered(whole.nodes, ranks));
  places.node_count = count_of(*places.nodes);
  places.sockets = if_more_than(places.node_count, whole.sockets, ranks);
  places.leaves = if_more_than(1, whole.leaves, ranks);
  places.in_network = part_of_network(in_network, whole.nodes, places, ranks);
  THALWEG_ASSERT(light, places.node_count <= whole.node_count);
  return places;
}

} // namespace thalweg::job
