// SPDX-License-Identifier: BSD-3-Clause

// Two binary trees at once, a half of the vector along each: inner ranks of one are leaves of the other.

#include "strategies/segments.hpp"
#include "strategies/tree_steps.hpp"
#include "topology/tree.hpp"

namespace thalweg::strategies {

namespace {

/// The rank's places in the trees at the problem's root.
std::array<topology::TreeNode, 2> rooted_places(const Builder& b) {
  auto places = topology::double_tree_node(b.ranks(), relative(b.problem(), b.rank()));
  return {rooted(std::move(places[0]), b.problem()), rooted(std::move(places[1]), b.problem())};
}

/// Each half of the message is a pipeline of its own. Both run at once, and both ends of an edge that is in
/// both trees take turns between them.
template <typename Pipeline>
void append_halves(const Builder& b, Pipeline first, Pipeline second) {
  const std::int32_t half = b.pieces() / 2;
  for (std::int32_t piece = 0; piece < half; ++piece) {
    first.append(piece);
    second.append(half + piece);
  }
}

/// What all three have in common.
Strategy double_tree_of(Operation operation, std::string_view summary, std::string_view wins_when,
                        void (*append)(Builder&)) {
  return {.name = "double_tree",
          .operation = operation,
          .summary = summary,
          .wins_when = wins_when,
          .source = "Sanders, Speck, Traff 2009, section 3; NCCL's double binary tree",
          .parameters = {segment_parameter(32 << 10), piece_window_parameter()},
          .in_place = operation != Operation::broadcast, // which has one buffer
          .order_matters = true,
          .pieces =
              [](const Problem& problem) { // as many for each half
                return 2 * segment_count(problem.unit_bytes, 2 * problem.parameter("segment"));
              },
          .append = append};
}

} // namespace

} // namespace thalweg::strategies

namespace thalweg::strategies::broadcast {

namespace {

void append_double_tree(Builder& b) {
  const auto places = rooted_places(b);
  const std::int64_t window = b.parameter("window");
  append_halves(b, PipelineDown(b, places[0], window), PipelineDown(b, places[1], window));
}

} // namespace

Strategy double_tree() {
  return double_tree_of(Operation::broadcast,
                        "each half of the message goes down a binary tree of its own; inner ranks of one are "
                        "leaves of the other",
                        "large messages on many ranks", append_double_tree);
}

} // namespace thalweg::strategies::broadcast

namespace thalweg::strategies::reduce {

namespace {

void append_double_tree(Builder& b) {
  const auto places = rooted_places(b);
  const std::int64_t window = b.parameter("window");
  append_halves(b, PipelineUp(b, commutative_place(places[0]), window),
                PipelineUp(b, commutative_place(places[1]), window));
}

} // namespace

Strategy double_tree() {
  return double_tree_of(Operation::reduce,
                        "each half of the vector goes up a binary tree of its own; inner ranks of one are "
                        "leaves of the other",
                        "large vectors on many ranks", append_double_tree);
}

} // namespace thalweg::strategies::reduce

namespace thalweg::strategies::allreduce {

namespace {

// Both ends of an edge go through the pieces, trees and directions in the same order.
void append_double_tree(Builder& b) {
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
  return double_tree_of(
      Operation::allreduce,
      "each half of the vector goes up and down a binary tree of its own, segment by segment",
      "medium and long vectors on very many ranks", append_double_tree);
}

} // namespace thalweg::strategies::allreduce
