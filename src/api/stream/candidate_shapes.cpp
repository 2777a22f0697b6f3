// SPDX-License-Identifier: BSD-3-Clause
#include "stream/candidate_shapes.hpp"

#include "base/arithmetic.hpp"

#include <algorithm>

namespace thalweg::streams {

namespace {

// Beyond so many ranks a link for each would have small buffers.
constexpr std::int32_t max_direct = 32;
// With fewer ranks a second hop costs more than it saves.
constexpr std::int32_t min_meshed = 9;
constexpr std::size_t max_dimensions = 3; // of those that are tried; a program may ask for more

std::int32_t max_on_node(std::span<const std::int32_t> nodes) {
  std::vector<std::int32_t> count(static_cast<std::size_t>(std::ranges::max(nodes)) + 1, 0);
  for (const std::int32_t node : nodes)
    ++count[static_cast<std::size_t>(node)];
  return std::ranges::max(count);
}

/// The sides behind the first ones, as equal as they can be. Empty where some side would be 1.
Shape completed(Shape shape, std::size_t dimensions, std::int32_t ranks) {
  std::int64_t inner = 1;
  for (const std::int32_t side : shape)
    inner *= side;
  while (shape.size() < dimensions) {
    const std::int64_t left = ceil_divide(std::int64_t{ranks}, inner);
    shape.push_back(static_cast<std::int32_t>(ceil_root(left, static_cast<int>(dimensions - shape.size()))));
    inner *= shape.back();
  }
  return std::ranges::min(shape) < 2 ? Shape() : shape;
}

/// A side near the root that nodes of so many ranks fit into, or that fits into them.
std::int32_t first_side(std::int32_t ranks, std::int32_t on_node, std::size_t dimensions) {
  const auto root = static_cast<std::int32_t>(ceil_root(ranks, static_cast<int>(dimensions)));
  if (on_node <= root)
    return on_node * std::max(1, (root + on_node / 2) / on_node);
  for (std::int32_t side = root; side < on_node; ++side)
    if (on_node % side == 0)
      return side;
  return on_node;
}

} // namespace

std::vector<Shape> candidate_shapes(std::span<const std::int32_t> nodes) {
  const auto ranks = static_cast<std::int32_t>(nodes.size());
  const std::int32_t on_node = max_on_node(nodes);
  const bool is_one_node = nodes.front() == std::ranges::max(nodes);
  std::vector<Shape> shapes;
  const auto add = [&](Shape shape) {
    if (!shape.empty() && std::ranges::find(shapes, shape) == shapes.end())
      shapes.push_back(std::move(shape));
  };
  const Shape by_node =
      is_one_node || on_node == 1 ? Shape() : completed({on_node}, 2, ranks); // also where nodes differ
  if (ranks > max_direct)
    add(by_node);
  add({ranks});
  if (ranks < min_meshed)
    return shapes;
  add(by_node);
  for (std::size_t dimensions = 2; dimensions <= max_dimensions; ++dimensions)
    add(completed({first_side(ranks, on_node, dimensions)}, dimensions, ranks));
  return shapes;
}

} // namespace thalweg::streams
