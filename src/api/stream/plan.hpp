// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a stream is like, before there is any: its mesh, its buffers, how many.

#include "stream/item_route.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace thalweg::streams {

/// Which meshes are worth a thought. The first is what is best where nothing is known of the program: as many
/// links as ranks, or, where these are many, the ranks of a node and then the nodes. `nodes[r]`: the node of
/// rank r. Each holds all ranks, in cells that go through one node after the other.
///
/// A mesh of more dimensions fills its buffers faster and closes fewer links, but items go more often. The
/// first side is that of a node's ranks, or a multiple or a part of it: so the first hop stays within the
/// node, or as many ranks of a node as can be send to the same peers (Wesolowski and others 2014, section
/// III).
std::vector<Shape> candidate_shapes(std::span<const std::int32_t> nodes);

/// What a program asks for; the same on all ranks. 0 and "": what is thought best.
struct PlanOptions {
  std::size_t item_bytes = 0;
  std::size_t buffer_bytes = 0;
  std::size_t memory_bytes = 0;
  std::size_t max_pending_items = 0;
  std::string_view shape = {};
};

/// A mesh and its buffers.
struct MeshPlan {
  Shape shape;
  std::vector<std::uint32_t> slots; ///< of a rank, by dimension, and then for quiescence checks
  std::uint32_t slot_bytes = 0;     ///< of a slot
  std::uint32_t fill_bytes = 0;     ///< that are filled
};

struct StreamPlan {
  std::vector<MeshPlan> meshes;   ///< to choose from; the first one to begin with
  std::vector<Rank> rank_of_cell; ///< of meshes of several dimensions; empty: rank r is cell r
  bool may_change_fill = false;   ///< nothing was said of how much is filled
};

/// How many slots a rank has to receive from other nodes: for each dimension and for quiescence checks, in
/// this phase and the next one.
constexpr std::uint32_t receives_of_dimension = 4;
constexpr std::uint32_t receive_slots(std::size_t dimensions) {
  return 2 * receives_of_dimension * static_cast<std::uint32_t>(dimensions + 1);
}

/// `nodes[r]`: the node of rank r. The same on all ranks. Where no shape is asked for, all that
/// candidate_shapes() has are planned. Throws Error for wishes that cannot be had.
StreamPlan plan_stream(const PlanOptions& wishes, std::span<const std::int32_t> nodes);

} // namespace thalweg::streams
