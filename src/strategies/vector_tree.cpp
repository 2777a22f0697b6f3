#include "strategies/vector_tree.hpp"

namespace thalweg::strategies {

namespace {

using topology::TreeShape;

class PartTree {
public:
  PartTree(const Builder& b, schedule::Buffer buffer, std::int32_t first, std::int32_t radix)
      : problem_(b.problem()), buffer_(buffer), first_(first), share_(b.pieces() / b.ranks()), radix_(radix),
        self_(relative(problem_, b.rank())), node_(topology::tree_node(TreeShape::knomial, b.ranks(), radix, self_)) {}

  const topology::TreeNode& node() const { return node_; }
  Rank rank(Rank relative_rank) const { return absolute(problem_, relative_rank); }
  /// The parts of a subtree, which is an interval of relative ranks.
  schedule::BlockList below(Rank relative_rank) const {
    const auto [begin, end] = topology::subtree(TreeShape::knomial, problem_.ranks, radix_, relative_rank).front();
    schedule::BlockList blocks = schedule::wrapped(buffer_, (std::int64_t{begin} + problem_.root) * share_,
                                                   std::int64_t{end - begin} * share_, std::int64_t{problem_.ranks} * share_);
    for (schedule::BlockRange& range : blocks)
      range.first += first_;
    return blocks;
  }
  schedule::BlockList own() const { return below(self_); }

private:
  const Problem& problem_;
  schedule::Buffer buffer_;
  std::int32_t first_;
  std::int32_t share_;
  std::int32_t radix_;
  Rank self_;
  topology::TreeNode node_;
};

} // namespace

void append_part_scatter(Builder& b, schedule::Buffer buffer, std::int32_t first, std::int32_t radix) {
  const PartTree tree(b, buffer, first, radix);
  if (tree.node().parent >= 0)
    b.receive(tree.rank(tree.node().parent), tree.own());
  b.round();
  for (const Rank child : tree.node().children)
    b.send(tree.rank(child), tree.below(child));
}

void append_part_gather(Builder& b, schedule::Buffer buffer, std::int32_t first, std::int32_t radix) {
  const PartTree tree(b, buffer, first, radix);
  for (auto child = tree.node().children.rbegin(); child != tree.node().children.rend(); ++child)
    b.receive(tree.rank(*child), tree.below(*child));
  b.round();
  if (tree.node().parent >= 0)
    b.send(tree.rank(tree.node().parent), tree.own());
}

} // namespace thalweg::strategies
