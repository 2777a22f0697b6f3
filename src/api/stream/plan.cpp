// SPDX-License-Identifier: BSD-3-Clause
#include "stream/plan.hpp"

#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "stream/slot.hpp"
#include "thalweg/stream_links.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

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

namespace {

// All buffers of a rank stay in the second-level cache while they are filled and read, if there are few. From
// 64 KiB on, what it costs to hand one over does not matter. Between nodes libraries ask first before they
// send messages of 64 KiB (Open MPI over TCP): that cost a third of the bandwidth.
constexpr std::size_t usual_bytes = std::size_t{64} << 10;
constexpr std::size_t usual_far_bytes = std::size_t{32} << 10;
constexpr std::size_t cached_bytes = std::size_t{1} << 20;
constexpr std::size_t min_cached_bytes = std::size_t{8} << 10;
constexpr std::size_t usual_memory = std::size_t{4} << 20;
constexpr std::size_t min_bytes = 512;
constexpr std::size_t max_bytes = std::size_t{1} << 20;

constexpr std::uint32_t quiescence_slots = 8; // for messages of two rounds

// Cells go through one node after the other, so that the first side may be that of a node's ranks.
std::vector<Rank> by_node(std::span<const std::int32_t> nodes) {
  std::vector<Rank> order(nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](Rank rank) { return nodes[static_cast<std::size_t>(rank)]; });
  return std::ranges::is_sorted(order) ? std::vector<Rank>() : order;
}

// Of a slot, if so many have this memory.
std::size_t bytes_within(std::size_t memory, std::size_t slots) {
  constexpr std::size_t beside = sizeof(Slot) + THALWEG_STREAM_AHEAD;
  const std::size_t share = (memory == 0 ? usual_memory : memory) / slots;
  return std::max(share < beside ? 0 : (share - beside) / 64 * 64, min_bytes);
}

MeshPlan plan_mesh(const PlanOptions& wishes, Shape shape, bool has_far) {
  MeshPlan plan{.shape = std::move(shape), .slots = {}};
  std::size_t count = 0;
  std::size_t links = 0;
  for (const std::int32_t side : plan.shape) {
    // Each link fills one; some more are on their way.
    plan.slots.push_back(static_cast<std::uint32_t>(side + std::clamp(side, 4, 16)));
    count += plan.slots.back();
    links += static_cast<std::size_t>(side);
  }
  plan.slots.push_back(quiescence_slots);
  const std::size_t receives = has_far ? receive_slots(plan.shape.size()) : 0;
  std::size_t bytes = wishes.buffer_bytes;
  if (bytes == 0)
    bytes =
        std::min(std::clamp(cached_bytes / count, min_cached_bytes, has_far ? usual_far_bytes : usual_bytes),
                 bytes_within(wishes.memory_bytes, count + quiescence_slots + receives));
  const std::size_t with_tag = wishes.item_bytes + sizeof(std::uint32_t);
  if (bytes > max_bytes || with_tag > max_bytes)
    throw Error(fmt::format("buffers of {} B for items of {} B", bytes, wishes.item_bytes),
                fmt::format("buffers may have up to {} B, and hold an item and its tag", max_bytes));
  bytes = std::max(bytes, with_tag);
  plan.slot_bytes = static_cast<std::uint32_t>(ceil_divide(static_cast<std::int64_t>(bytes), 64) * 64);
  plan.fill_bytes = plan.slot_bytes;
  if (wishes.max_pending_items != 0) {
    if (wishes.item_bytes == 0)
      throw Error("a limit of pending items whose sizes differ", "limit the memory instead");
    const std::size_t a_link = std::max<std::size_t>(wishes.max_pending_items / links, 1);
    const std::size_t fill = std::max(a_link * wishes.item_bytes, with_tag);
    plan.fill_bytes = static_cast<std::uint32_t>(std::min<std::size_t>(plan.slot_bytes, fill));
  }
  return plan;
}

} // namespace

StreamPlan plan_stream(const PlanOptions& wishes, std::span<const std::int32_t> nodes) {
  const auto ranks = static_cast<std::int32_t>(nodes.size());
  const bool has_far = nodes.front() != std::ranges::max(nodes);
  StreamPlan plan{.meshes = {}, .rank_of_cell = by_node(nodes)};
  for (Shape& shape :
       wishes.shape.empty() ? candidate_shapes(nodes) : std::vector<Shape>{parse_shape(wishes.shape, ranks)})
    plan.meshes.push_back(plan_mesh(wishes, std::move(shape), has_far));
  plan.may_change_fill = has_far && wishes.buffer_bytes == 0 && wishes.max_pending_items == 0;
  return plan;
}

} // namespace thalweg::streams
