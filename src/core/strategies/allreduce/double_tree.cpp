// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/allreduce/up_and_down.hpp"
#include "strategies/segments.hpp"
#include "topology/binary_trees.hpp"

namespace thalweg::strategies::allreduce {

namespace {

// Both ends of an edge go through the pieces, trees and directions in the same order.
void append(Builder& b) {
  if (b.ranks() == 1) {
    b.copy(schedule::input(0, b.pieces()), schedule::output(0, b.pieces()));
    return;
  }
  auto nodes = topology::double_tree_node(b.ranks(), b.rank());
  UpAndDown first(b, std::move(nodes[0]));
  UpAndDown second(b, std::move(nodes[1]));
  const std::int32_t half = b.pieces() / 2;
  for (std::int32_t piece = 0; piece < half; ++piece) {
    first.up(piece);
    second.up(half + piece);
    first.down(piece);
    second.down(half + piece);
  }
}

} // namespace

Strategy double_tree() {
  return {.name = "double_tree",
          .operation = Operation::allreduce,
          .summary = "each half of the vector goes up and down a binary tree of its own, segment by segment",
          .wins_when = "medium and long vectors on very many ranks",
          .source = "Sanders, Speck, Traff 2009, section 3; NCCL's double binary tree",
          .parameters = {segment_parameter(32 << 10), piece_window_parameter()},
          .in_place = true,
          .order_matters = true,
          .pieces =
              [](const Problem& problem) {
                return 2 * segment_count(problem.unit_bytes, 2 * problem.parameter("segment"));
              },
          .append = append};
}

} // namespace thalweg::strategies::allreduce
