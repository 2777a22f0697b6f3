// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/destinations.hpp"

#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "base/random.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <numeric>

namespace thalweg::simulate::packet {

namespace {

template <typename Function>
std::vector<std::uint32_t> each(std::uint32_t nodes, Function to) {
  std::vector<std::uint32_t> destinations(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node)
    destinations[node] = to(node);
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

} // namespace thalweg::simulate::packet
