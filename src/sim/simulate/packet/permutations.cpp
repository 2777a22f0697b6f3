// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/permutations.hpp"

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "topology/fat_tree.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <numeric>
#include <vector>

namespace thalweg::simulate::packet {

namespace {

template <typename Function>
std::vector<std::uint32_t> each(std::uint32_t nodes, Function to) {
  std::vector<std::uint32_t> destinations(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    destinations[node] = to(node);
    THALWEG_ASSERT(normal, destinations[node] < nodes);
  }
  return destinations;
}

void require_nodes(bool holds, std::string_view name, std::uint32_t nodes, std::string_view wanted) {
  if (!holds)
    throw Error(fmt::format("{} on {} nodes", name, nodes), fmt::format("choose a network of {}", wanted));
}

std::uint32_t bits_of_nodes(std::string_view name, std::uint32_t nodes) {
  require_nodes(nodes > 1 && is_power_of_two(nodes), name, nodes, "2, 4, 8, … nodes");
  return static_cast<std::uint32_t>(std::countr_zero(nodes));
}

std::vector<std::uint32_t> transposed(std::uint32_t nodes) {
  std::uint32_t side = 1;
  while (std::uint64_t{side} * side < nodes)
    ++side;
  require_nodes(side * side == nodes, "transpose", nodes, "n * n nodes");
  return each(nodes, [&](std::uint32_t node) { return node % side * side + node / side; });
}

std::vector<std::uint32_t> reversed_bits(std::uint32_t nodes) {
  const std::uint32_t bits = bits_of_nodes("bit_reversal", nodes);
  return each(nodes, [&](std::uint32_t node) {
    std::uint32_t reversed = 0;
    for (std::uint32_t bit = 0; bit < bits; ++bit)
      reversed |= (node >> bit & 1) << (bits - 1 - bit);
    return reversed;
  });
}

/// Dimension by dimension; of a switch with several nodes each keeps its number there. Where all dimensions
/// are too short to go on in, all nodes are taken for a ring.
std::vector<std::uint32_t> tornado(std::uint32_t nodes, const topology::Grid* grid) {
  const auto is_long = [](std::int32_t extent) { return extent > 2; };
  std::vector<std::int32_t> extents{static_cast<std::int32_t>(nodes)};
  if (grid != nullptr && std::ranges::any_of(grid->extents(), is_long))
    extents = grid->extents();
  std::uint32_t switches = 1;
  for (const std::int32_t extent : extents)
    switches *= static_cast<std::uint32_t>(extent);
  const std::uint32_t per_switch = nodes / switches;
  return each(nodes, [&](std::uint32_t node) {
    std::uint32_t rest = node / per_switch;
    std::uint32_t there = node % per_switch;
    std::uint32_t stride = per_switch;
    for (const std::int32_t extent : extents) {
      const auto size = static_cast<std::uint32_t>(extent);
      there += stride * ((rest + (size - 1) / 2) % size);
      rest /= size;
      stride *= size;
    }
    return there;
  });
}

std::vector<std::uint32_t> any_permutation(std::uint32_t nodes, std::uint64_t seed) {
  std::vector<std::uint32_t> destinations(nodes);
  std::iota(destinations.begin(), destinations.end(), 0U);
  Random random(seed);
  for (std::uint32_t left = nodes; left > 1; --left)
    std::swap(destinations[left - 1], destinations[random.below(left)]);
  return destinations;
}

std::uint32_t step_of(std::string_view name, std::string_view text) {
  std::uint32_t step = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step);
  if (error != std::errc{} || end != text.data() + text.size())
    throw Error(fmt::format("the step '{}' of {}", text, name), "write a number: shift:3, exchange:4");
  return step;
}

} // namespace

std::vector<std::uint32_t> parse_destinations(std::string_view name, std::uint32_t nodes, std::uint64_t seed,
                                              const topology::Grid* grid) {
  if (name == "uniform") {
    require_nodes(nodes > 1, name, nodes, "2 nodes or more");
    return {};
  }
  if (name == "transpose")
    return transposed(nodes);
  if (name == "bit_reversal")
    return reversed_bits(nodes);
  if (name == "bit_complement")
    return each(nodes, [&](std::uint32_t node) { return nodes - 1 - node; });
  if (name == "shuffle") {
    const std::uint32_t bits = bits_of_nodes(name, nodes);
    return each(nodes, [&](std::uint32_t node) { return (node << 1 | node >> (bits - 1)) & (nodes - 1); });
  }
  if (name == "tornado")
    return tornado(nodes, grid);
  if (name == "permutation")
    return any_permutation(nodes, seed);
  if (name.starts_with("shift:")) {
    const std::uint64_t step = step_of("shift", name.substr(name.find(':') + 1));
    return each(nodes, [&](std::uint32_t node) { return static_cast<std::uint32_t>((node + step) % nodes); });
  }
  if (name.starts_with("exchange:")) {
    const std::uint32_t step = step_of("exchange", name.substr(name.find(':') + 1));
    return each(nodes, [&](std::uint32_t node) { return (node ^ step) < nodes ? node ^ step : node; });
  }
  throw Error(
      fmt::format("no traffic '{}'", name),
      "choose uniform, transpose, bit_reversal, bit_complement, shuffle, tornado, permutation, shift:K or "
      "exchange:K");
}

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
