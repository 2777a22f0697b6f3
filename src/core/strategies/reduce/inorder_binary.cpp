// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/reduce/pipeline.hpp"
#include "strategies/segments.hpp"
#include "topology/binary_trees.hpp"

namespace thalweg::strategies::reduce {

namespace {

void append(Builder& b) {
  const topology::InorderNode node = topology::inorder_node(b.ranks(), b.root(), b.rank());
  Place place;
  place.parent = node.parent;
  if (node.left >= 0)
    place.children.push_back({node.left, Side::left});
  if (node.right >= 0)
    place.children.push_back({node.right, Side::right});
  Pipeline pipeline(b, place, b.parameter("window"));
  for (std::int32_t piece = 0; piece < b.pieces(); ++piece)
    pipeline.append(piece);
}

} // namespace

Strategy inorder_binary() {
  return {.name = "inorder_binary",
          .operation = Operation::reduce,
          .summary = "combines up a binary tree numbered in-order, so lower ranks always stand on the left",
          .wins_when = "operators that do not commute, middle and large vectors",
          .source = "Open MPI coll/base (in-order binary tree); Sanders, Traff 2006",
          .parameters = {segment_parameter(32 << 10), piece_window_parameter()},
          .keeps_rank_order = true,
          .in_place = true,
          .order_matters = true,
          .pieces = segments,
          .append = append};
}

} // namespace thalweg::strategies::reduce
