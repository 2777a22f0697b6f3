#include "strategies/leader_groups.hpp"
#include "strategies/two_level_tree.hpp"

namespace thalweg::strategies::scatter {

namespace {

using schedule::BlockList;

void append(Builder& b) {
  const TwoLevelTree tree(b.problem());
  const topology::TreeNode node = tree.node(b.rank());
  const std::vector<Rank> own = tree.subtree(b.rank());
  const std::vector<std::int32_t> positions = subtree_positions(own, b.ranks());
  const bool is_root = b.rank() == b.root();
  const std::int32_t kept =
      is_root || own.size() == 1 ? 0 : b.scratch_blocks(static_cast<std::int32_t>(own.size()) - 1);
  const auto blocks = [&](const std::vector<Rank>& ranks) {
    BlockList list;
    for (const Rank rank : ranks)
      list = std::move(list) +
             (is_root            ? schedule::input(rank)
              : rank == b.rank() ? schedule::output(0)
                                 : schedule::scratch(kept + positions[static_cast<std::size_t>(rank)] - 1));
    return list;
  };
  if (is_root)
    b.copy(schedule::input(b.rank()), schedule::output(0));
  else
    b.receive(node.parent, blocks(own));
  // The root's own copy keeps no message back.
  if (!is_root)
    b.round();
  for (const Rank child : node.children)
    b.send(child, blocks(tree.subtree(child)));
}

} // namespace

Strategy two_level() {
  return {.name = "two_level",
          .operation = Operation::scatter,
          .summary =
              "the root sends each node's blocks as one message to one of its ranks, which deals them out",
          .wins_when = "several ranks a node and small blocks, where messages between nodes are dear",
          .source = "Nishtala 2009, section 5.3 (hierarchy); Karonis et al. 2000",
          .parameters = TwoLevelTree::parameters(),
          .in_place = true,
          .uses_nodes = true,
          .unsupported_reason = unsupported_level_reason,
          .append = append};
}

} // namespace thalweg::strategies::scatter
