// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/contention.hpp"

#include "base/error.hpp"
#include "topology/fat_tree.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace thalweg::simulate::packet {

namespace {

void require_permutation(const Fabric& fabric, std::span<const std::uint32_t> destinations) {
  std::vector<char> is_taken(fabric.nodes(), 0);
  if (destinations.size() != fabric.nodes())
    throw Error(fmt::format("{} destinations for {} nodes", destinations.size(), fabric.nodes()),
                "give one for each");
  for (const std::uint32_t to : destinations)
    if (to >= fabric.nodes() || is_taken[to]++ != 0)
      throw Error(fmt::format("node {} as a destination twice, or one that does not exist", to),
                  "give a permutation of the nodes");
}

std::uint32_t largest_load(const topology::Interconnect& tree, std::span<const std::uint32_t> destinations) {
  std::vector<std::uint32_t> loads(static_cast<std::size_t>(tree.links()), 0);
  std::vector<topology::LinkShare> route;
  std::uint32_t max = 0;
  for (std::size_t node = 0; node < destinations.size(); ++node) {
    route.clear();
    tree.append_route(static_cast<topology::Place>(node), destinations[node], route);
    for (const topology::LinkShare& share : route)
      max = std::max(max, ++loads[static_cast<std::size_t>(share.link)]);
  }
  return max;
}

/// The first subtree of a level that packets enter from two others, or that more children send from than it
/// has parents; -1 where there is none.
std::int64_t first_conflict(std::span<const std::uint32_t> destinations, std::uint64_t below,
                            std::uint64_t children, std::uint32_t parents) {
  const std::size_t subtrees = destinations.size() / below;
  const std::uint64_t child_nodes = below / children;
  std::vector<std::uint32_t> enters_from(subtrees, none);
  std::vector<std::uint32_t> children_out(subtrees, 0);
  std::uint64_t last_child = UINT64_MAX;
  for (std::size_t node = 0; node < destinations.size(); ++node) {
    const auto from = static_cast<std::uint32_t>(node / below);
    const auto to = static_cast<std::uint32_t>(destinations[node] / below);
    if (from == to)
      continue;
    if (enters_from[to] != none && enters_from[to] != from)
      return to;
    enters_from[to] = from;
    if (node / child_nodes != last_child && ++children_out[from] > parents)
      return from;
    last_child = node / child_nodes;
  }
  return -1;
}

} // namespace

Contention find_contention(const Fabric& fabric, std::span<const std::uint32_t> destinations) {
  const auto* const tree = dynamic_cast<const topology::FatTree*>(&fabric.shape());
  if (tree == nullptr || tree->spreads())
    throw Error(fmt::format("contention on {}, which is no tree with fixed routes", fabric.shape().name()),
                "choose a tree, as tree:4^3");
  require_permutation(fabric, destinations);
  Contention found;
  found.by_destination = largest_load(*tree, destinations);
  std::uint64_t below = 1;
  for (std::size_t level = 1; level < tree->shape().children.size() && found.is_free_any_way; ++level) {
    const auto children = static_cast<std::uint64_t>(tree->shape().children[level - 1]);
    below *= children;
    found.subtree = first_conflict(destinations, below, children,
                                   static_cast<std::uint32_t>(tree->shape().parents[level]));
    if (found.subtree >= 0) {
      found.level = static_cast<std::int32_t>(level);
      found.is_free_any_way = false;
    }
  }
  return found;
}

} // namespace thalweg::simulate::packet
