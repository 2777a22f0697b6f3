// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/segments.hpp"
#include "strategies/tree_steps.hpp"
#include "topology/tree.hpp"

#include <algorithm>
#include <cstdlib>

namespace thalweg::strategies::reduce {

namespace {

using schedule::Side;
using topology::TreeNode;
using topology::TreeShape;

/// The place in a tree in which every subtree is an interval of ranks that is combined in rank order: two
/// trees of that shape meet at the root, one over the ranks from it upwards, one mirrored over those
/// downwards. For shapes whose subtrees are intervals: all but k-ary.
CombinePlace rank_order_place(TreeShape shape, std::int32_t degree, const Problem& problem, Rank rank) {
  const Rank root = problem.root;
  CombinePlace place;
  const auto add = [&](std::int32_t size, Rank node, Side side) {
    const Rank direction = side == Side::right ? 1 : -1;
    const TreeNode found = topology::tree_node(shape, size, degree, node);
    if (found.parent >= 0)
      place.parent = root + direction * found.parent;
    for (const Rank child : found.children)
      place.children.push_back({root + direction * child, side});
  };
  if (rank >= root)
    add(problem.ranks - root, rank - root, Side::right);
  if (rank <= root)
    add(root + 1, root - rank, Side::left);
  // The nearer a child, the nearer its operands; and the smaller its subtree, so that it is ready first.
  std::ranges::stable_sort(place.children, {},
                           [&](const CombinePlace::Child& child) { return std::abs(child.rank - rank); });
  return place;
}

/// All pieces up the tree of that shape, with the problem's parameters; where the operator does not commute,
/// up the tree that keeps rank order.
void append_tree(Builder& builder, TreeShape shape) {
  const Problem& problem = builder.problem();
  CombinePlace place = problem.commutative
                           ? commutative_place(rooted_node(builder, shape))
                           : rank_order_place(shape, degree(problem, shape), problem, builder.rank());
  PipelineUp pipeline(builder, std::move(place), builder.parameter("window"));
  for (std::int32_t piece = 0; piece < builder.pieces(); ++piece)
    pipeline.append(piece);
}

} // namespace

Strategy kary() {
  return {.name = "kary",
          .operation = Operation::reduce,
          .summary = "combines up a k-ary tree over relative ranks; every rank serves `degree` children",
          .wins_when = "middle sizes, with segments also large ones",
          .source = "Nishtala 2009 (k-ary); Zhang 2002 (binary tree on relative ranks)",
          .parameters = pipeline_parameters(topology::TreeShape::kary, 32 << 10),
          .in_place = true,
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::kary); }};
}

Strategy knomial() {
  return {.name = "knomial",
          .operation = Operation::reduce,
          .summary = "combines up a k-nomial tree over relative ranks; radix 2 is the binomial tree",
          .wins_when = "short messages",
          .source = "Nishtala 2009 (k-nomial); Thakur, Rabenseifner, Gropp 2005, section 4",
          .parameters = pipeline_parameters(topology::TreeShape::knomial, 0),
          .keeps_rank_order = true,
          .in_place = true,
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::knomial); }};
}

Strategy chain() {
  return {.name = "chain",
          .operation = Operation::reduce,
          .summary = "combines up a chain of all ranks, segments following one another",
          .wins_when = "large messages on few ranks",
          .source = "Nishtala 2009 (chain)",
          .parameters = pipeline_parameters(topology::TreeShape::chain, 32 << 10),
          .keeps_rank_order = true,
          .in_place = true,
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::chain); }};
}

Strategy flat() {
  return {.name = "flat",
          .operation = Operation::reduce,
          .summary = "the root combines what every rank sends it",
          .wins_when = "few ranks, or a root whose messages cost little",
          .source = "Nishtala 2009 (flat)",
          .parameters = pipeline_parameters(topology::TreeShape::flat, 0),
          .keeps_rank_order = true,
          .in_place = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::flat); }};
}

Strategy fork() {
  return {.name = "fork",
          .operation = Operation::reduce,
          .summary = "combines up `chains` chains that hang on the root, segments following one another",
          .wins_when = "large messages on a moderate number of ranks",
          .source = "Nishtala 2009 (fork)",
          .parameters = pipeline_parameters(topology::TreeShape::fork, 32 << 10),
          .keeps_rank_order = true,
          .in_place = true,
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::fork); }};
}

Strategy bine() {
  return {.name = "bine",
          .operation = Operation::reduce,
          .summary = "combines up a binomial tree whose edges alternate direction and are a third shorter",
          .wins_when = "short vectors where crossing between groups of nodes is dear",
          .source = "De Sensi, Pichetti, Domke et al. 2025 (Bine trees)",
          .parameters = pipeline_parameters(topology::TreeShape::bine, 0),
          .in_place = true,
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& builder) { append_tree(builder, topology::TreeShape::bine); }};
}

namespace {

void append_inorder(Builder& b) {
  const topology::InorderNode node = topology::inorder_node(b.ranks(), b.root(), b.rank());
  CombinePlace place;
  place.parent = node.parent;
  if (node.left >= 0)
    place.children.push_back({node.left, Side::left});
  if (node.right >= 0)
    place.children.push_back({node.right, Side::right});
  PipelineUp pipeline(b, place, b.parameter("window"));
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
          .append = append_inorder};
}

} // namespace thalweg::strategies::reduce
