// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/reduce/pipeline.hpp"

#include <algorithm>

namespace thalweg::strategies::reduce {

using schedule::StepId;
using topology::TreeNode;
using topology::TreeShape;

Place commutative_place(const TreeNode& node) {
  Place place;
  place.parent = node.parent;
  for (auto child = node.children.rbegin(); child != node.children.rend(); ++child)
    place.children.push_back({*child, Side::right});
  return place;
}

Place rank_order_place(TreeShape shape, std::int32_t degree, const Problem& problem, Rank rank) {
  const Rank root = problem.root;
  Place place;
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
                           [&](const Place::Child& child) { return std::abs(child.rank - rank); });
  return place;
}

Pipeline::Pipeline(Builder& builder, Place place, std::int64_t window)
    : builder_(builder), place_(std::move(place)),
      under_way_(static_cast<std::size_t>(window), schedule::nothing) {
  if (place_.parent >= 0 && !place_.children.empty())
    scratch_ = builder_.scratch_blocks(builder_.canonical());
}

void Pipeline::append(std::int32_t piece) {
  StepId& last = under_way_[next_++ % under_way_.size()];
  const auto own = schedule::input(piece);
  if (place_.parent >= 0 && place_.children.empty()) {
    last = builder_.send(place_.parent, own, {last});
    return;
  }
  const bool is_root = place_.parent < 0;
  const auto sum = is_root ? schedule::output(piece) : schedule::scratch(scratch_ + piece);
  auto child = place_.children.begin();
  if (is_root) {
    const StepId copied = builder_.copy(own, sum, {last});
    last = copied == schedule::nothing ? last : copied;
  } else {
    // Receiving first and combining with the input saves the copy.
    last = builder_.receive(child->rank, sum, {last});
    last = builder_.combine(own, sum, child->side == Side::right ? Side::left : Side::right, {last});
    ++child;
  }
  for (; child != place_.children.end(); ++child)
    last = builder_.receive_combine(child->rank, sum, child->side, {last});
  if (!is_root)
    last = builder_.send(place_.parent, sum, {last});
}

void append_tree(Builder& builder, TreeShape shape) {
  const Problem& problem = builder.problem();
  Place place = problem.commutative
                    ? commutative_place(rooted_node(builder, shape))
                    : rank_order_place(shape, degree(problem, shape), problem, builder.rank());
  Pipeline pipeline(builder, std::move(place), builder.parameter("window"));
  for (std::int32_t piece = 0; piece < builder.pieces(); ++piece)
    pipeline.append(piece);
}

} // namespace thalweg::strategies::reduce
