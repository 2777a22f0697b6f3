#include "strategies/segments.hpp"
#include "topology/binary_trees.hpp"

namespace thalweg::strategies::allreduce {

namespace {

using schedule::Side;
using schedule::StepId;

/// One tree: sums go up piece by piece and results come down behind them.
class UpAndDown {
public:
  UpAndDown(Builder& builder, topology::TreeNode node)
      : b_(builder), node_(std::move(node)),
        under_way_(static_cast<std::size_t>(builder.parameter("window")), schedule::nothing) {}

  void up(std::int32_t piece) {
    StepId& last = under_way_[static_cast<std::size_t>(piece) % under_way_.size()];
    const auto own = schedule::input(piece);
    const auto sum = schedule::output(piece);
    const bool is_leaf = node_.children.empty();
    for (std::size_t i = node_.children.size(); i-- > 0;) {
      const Rank child = node_.children[i];
      if (b_.problem().in_place || i + 1 < node_.children.size()) {
        last = b_.receive_combine(child, sum, Side::right, {last});
      } else {
        last = b_.receive(child, sum, {last});
        last = b_.combine(own, sum, Side::left, {last});
      }
    }
    if (node_.parent >= 0)
      last = b_.send(node_.parent, is_leaf ? own : sum, {last});
  }

  void down(std::int32_t piece) {
    StepId& last = under_way_[static_cast<std::size_t>(piece) % under_way_.size()];
    if (node_.parent >= 0)
      last = b_.receive(node_.parent, schedule::output(piece), {last});
    const StepId there = last;
    for (const Rank child : node_.children)
      last = b_.send(child, schedule::output(piece), {there});
  }

private:
  Builder& b_;
  topology::TreeNode node_;
  std::vector<StepId> under_way_; ///< last steps of the latest pieces, a ring
};

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
          .pieces =
              [](const Problem& problem) {
                return 2 * segment_count(problem.unit_bytes, 2 * problem.parameter("segment"));
              },
          .append = append};
}

} // namespace thalweg::strategies::allreduce
