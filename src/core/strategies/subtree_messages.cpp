// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/subtree_messages.hpp"

namespace thalweg::strategies {

namespace {

using schedule::BlockList;

// Numbers of the blocks of a rank's subtree in its memory: 0 its own, then the others in order; -1: not
// below the rank.
std::vector<std::int32_t> subtree_positions(const std::vector<Rank>& subtree, std::int32_t ranks) {
  std::vector<std::int32_t> positions(static_cast<std::size_t>(ranks), -1);
  for (std::size_t i = 0; i < subtree.size(); ++i)
    positions[static_cast<std::size_t>(subtree[i])] = static_cast<std::int32_t>(i);
  return positions;
}

/// Where a rank has the blocks of its subtree: the root in its large buffer, others in scratch, but for their
/// own.
class SubtreeBlocks {
public:
  SubtreeBlocks(Builder& builder, const std::vector<Rank>& own, schedule::Buffer of_all,
                schedule::Buffer of_own)
      : positions_(subtree_positions(own, builder.ranks())), rank_(builder.rank()), of_all_(of_all),
        of_own_(of_own), is_root_(rank_ == builder.root()) {
    if (!is_root_ && own.size() > 1)
      kept_ = builder.scratch_blocks(static_cast<std::int32_t>(own.size()) - 1);
  }

  BlockList of(const std::vector<Rank>& ranks) const {
    BlockList list;
    for (const Rank rank : ranks)
      list = std::move(list) + block(rank);
    return list;
  }

private:
  BlockList block(Rank rank) const {
    if (is_root_)
      return {{of_all_, rank, 1}};
    if (rank == rank_)
      return {{of_own_, 0, 1}};
    return schedule::scratch(kept_ + positions_[static_cast<std::size_t>(rank)] - 1);
  }

  std::vector<std::int32_t> positions_;
  Rank rank_;
  schedule::Buffer of_all_;
  schedule::Buffer of_own_;
  bool is_root_;
  std::int32_t kept_ = 0;
};

} // namespace

void append_gather(Builder& b, const topology::TreeNode& node, const SubtreeOf& subtree_of) {
  const std::vector<Rank> own = subtree_of(b.rank());
  const SubtreeBlocks blocks(b, own, schedule::Buffer::output, schedule::Buffer::input);
  if (node.parent < 0)
    b.copy(schedule::input(0), schedule::output(b.rank()));
  for (auto child = node.children.rbegin(); child != node.children.rend(); ++child)
    b.receive(*child, blocks.of(subtree_of(*child)));
  b.round();
  if (node.parent >= 0)
    b.send(node.parent, blocks.of(own));
}

void append_scatter(Builder& b, const topology::TreeNode& node, const SubtreeOf& subtree_of) {
  const std::vector<Rank> own = subtree_of(b.rank());
  const SubtreeBlocks blocks(b, own, schedule::Buffer::input, schedule::Buffer::output);
  if (node.parent < 0)
    b.copy(schedule::input(b.rank()), schedule::output(0));
  else
    b.receive(node.parent, blocks.of(own));
  // The root's own copy keeps no message back.
  if (node.parent >= 0)
    b.round();
  for (const Rank child : node.children)
    b.send(child, blocks.of(subtree_of(child)));
}

} // namespace thalweg::strategies
