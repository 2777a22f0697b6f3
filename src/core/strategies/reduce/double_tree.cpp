// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/reduce/pipeline.hpp"
#include "strategies/segments.hpp"
#include "topology/binary_trees.hpp"

namespace thalweg::strategies::reduce {

namespace {

void append(Builder& b) {
  const auto places = topology::double_tree_node(b.ranks(), relative(b.problem(), b.rank()));
  Pipeline first(b, commutative_place(rooted(places[0], b.problem())), b.parameter("window"));
  Pipeline second(b, commutative_place(rooted(places[1], b.problem())), b.parameter("window"));
  const std::int32_t half = b.pieces() / 2;
  for (std::int32_t piece = 0; piece < half; ++piece) {
    first.append(piece);
    second.append(half + piece);
  }
}

} // namespace

Strategy double_tree() {
  return {.name = "double_tree",
          .operation = Operation::reduce,
          .summary = "each half of the vector goes up a binary tree of its own; inner ranks of one are "
                     "leaves of the other",
          .wins_when = "large vectors on many ranks",
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

} // namespace thalweg::strategies::reduce
