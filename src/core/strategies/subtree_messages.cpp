// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/subtree_messages.hpp"

#include "base/assertion.hpp"
#include "strategies/segments.hpp"

namespace thalweg::strategies {

using schedule::BlockList;
using schedule::Buffer;

SubtreeItems::SubtreeItems(const Problem& problem, topology::TreeShape shape, Rank relative_rank,
                           std::int32_t pieces)
    : pieces_(pieces) {
  intervals_.emplace_back(relative_rank, relative_rank + 1);
  for (const auto& [first, end] :
       topology::subtree(shape, problem.ranks, degree(problem, shape), relative_rank)) {
    // In a Bine tree the own rank stands in the middle.
    if (first < relative_rank && relative_rank < end)
      intervals_.emplace_back(first, relative_rank);
    const Rank rest = first <= relative_rank && relative_rank < end ? relative_rank + 1 : first;
    if (rest < end)
      intervals_.emplace_back(rest, end);
  }
  for (const auto& [first, end] : intervals_)
    size_ += (end - first) * pieces;
  const std::int64_t segment = problem.parameter("segment");
  const bool in_one = segment == 0 || problem.unit_bytes == 0;
  per_message_ = in_one ? size_ : std::max<std::int64_t>(1, segment * pieces / problem.unit_bytes);
}

std::int64_t SubtreeItems::position(std::int64_t item) const {
  std::int64_t skipped = 0;
  for (const auto& [first, end] : intervals_) {
    if (first * pieces_ <= item && item < end * pieces_)
      return skipped + item - first * pieces_;
    skipped += (end - first) * pieces_;
  }
  return -1;
}

SubtreeMemory::SubtreeMemory(Builder& builder, const SubtreeItems& items, Buffer own, Buffer all)
    : builder_(builder), items_(items), own_(own), all_(all) {
  if (builder.rank() != builder.root() && items.size() > builder.pieces())
    scratch_ = builder.scratch_blocks(static_cast<std::int32_t>(items.size()) - builder.pieces());
}

BlockList SubtreeMemory::blocks(const SubtreeItems& moved, std::int64_t message) const {
  BlockList list;
  moved.for_each_run(message, [&](std::int64_t item, std::int64_t count) { append(item, count, list); });
  return list;
}

void SubtreeMemory::append(std::int64_t item, std::int64_t count, BlockList& list) const {
  const std::int64_t pieces = builder_.pieces();
  if (builder_.rank() == builder_.root()) {
    list = std::move(list) +
           schedule::wrapped(all_, item + builder_.root() * pieces, count, builder_.ranks() * pieces);
    return;
  }
  const auto add = [&](Buffer buffer, std::int64_t first, std::int64_t run) {
    if (run > 0)
      list.push_back({buffer, static_cast<std::int32_t>(first), static_cast<std::int32_t>(run)});
  };
  // Positions below `pieces` are this rank's own unit.
  const std::int64_t position = items_.position(item);
  THALWEG_ASSERT(normal, position >= 0);
  const std::int64_t own = std::clamp<std::int64_t>(pieces - position, 0, count);
  add(own_, position, own);
  add(Buffer::scratch, scratch_ + position + own - pieces, count - own);
}

void MessageNeeds::add(std::int64_t item, std::int64_t count, schedule::StepId step) {
  const std::int64_t position = items_.position(item);
  THALWEG_ASSERT(normal, position >= 0 && position + count <= items_.size());
  for (std::int64_t m = items_.message_of(position); m <= items_.message_of(position + count - 1); ++m) {
    schedule::After& after = after_[static_cast<std::size_t>(m)];
    if (after.empty() || after.back() != step)
      after.push_back(step);
  }
}

namespace {

/// What is said of a shape in gathers and scatters.
struct ShapeText {
  std::string_view name;
  std::string_view wins_when;
  std::string_view source;
};

ShapeText text_of(topology::TreeShape shape) {
  constexpr std::string_view along_links = "large blocks where only neighbors are well connected";
  switch (shape) {
  case topology::TreeShape::kary:
    return {"kary", "many ranks and small blocks where the root is slow to send or receive",
            "Nishtala 2009 (k-ary)"};
  case topology::TreeShape::knomial:
    return {"knomial", "small blocks",
            "Nishtala 2009 (k-nomial); Thakur, Rabenseifner, Gropp 2005, section 4"};
  case topology::TreeShape::chain:
    return {"chain", along_links, "Nishtala 2009 (chain)"};
  case topology::TreeShape::flat:
    return {"flat", "large blocks, or few ranks", "Nishtala 2009 (flat)"};
  case topology::TreeShape::fork:
    return {"fork", along_links, "Nishtala 2009 (fork)"};
  case topology::TreeShape::bine:
    return {"bine", "small blocks where crossing between groups of nodes is dear",
            "De Sensi, Pichetti, Domke et al. 2025 (Bine trees)"};
  }
  return {};
}

std::vector<Parameter> message_parameters(topology::TreeShape shape) {
  const bool is_pipeline = shape == topology::TreeShape::chain || shape == topology::TreeShape::fork;
  Parameter segment = segment_parameter(is_pipeline ? 32 << 10 : 0);
  segment.description =
      "most bytes of a message, but at least a piece of a block; 0: a subtree's blocks in one message";
  segment.proven_at = {2048, 12000, 0}; // less and more than the sample block
  std::vector<Parameter> parameters = degree_parameters(shape);
  parameters.push_back(segment);
  return parameters;
}

} // namespace

Strategy tree_messages(Operation operation, topology::TreeShape shape, std::string_view summary,
                       void (*append)(Builder&, topology::TreeShape)) {
  const ShapeText text = text_of(shape);
  const bool is_flat = shape == topology::TreeShape::flat;
  return {.name = text.name,
          .operation = operation,
          .summary = summary,
          .wins_when = text.wins_when,
          .source = text.source,
          .parameters = message_parameters(shape),
          .unequal_blocks = is_flat, // nobody keeps another rank's blocks
          .in_place = true,
          .order_matters = !is_flat,
          .pieces =
              [](const Problem& problem) {
                return segment_count(problem.unit_bytes, problem.parameter("segment"), 64);
              },
          .append = [shape, append](Builder& b) { append(b, shape); }};
}

namespace {

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
    THALWEG_ASSERT(light, own.front() == rank_);
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
    const std::int32_t position = positions_[static_cast<std::size_t>(rank)];
    THALWEG_ASSERT(normal, position >= 1); // else it is not below this rank
    return schedule::scratch(kept_ + position - 1);
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
