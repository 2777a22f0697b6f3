// SPDX-License-Identifier: BSD-3-Clause

// Trees of two levels, of nodes and inside of nodes, and what goes along them as one tree: segments that
// follow one another (broadcast, reduce, allreduce), or the blocks of subtrees (gather, scatter).

#include "base/assertion.hpp"
#include "strategies/composition.hpp"
#include "strategies/segments.hpp"
#include "strategies/strategy.hpp"
#include "strategies/subtree_messages.hpp"
#include "strategies/tree_steps.hpp"
#include "topology/node_groups.hpp"
#include "topology/tree.hpp"

namespace thalweg::strategies {

namespace {

using topology::TreeNode;
using topology::TreeShape;

/// A spanning tree of two levels: a tree of the nodes' leaders, and in each node a
/// tree under its leader. Shapes come from the parameters below; the root leads its node.
class TwoLevelTree {
public:
  explicit TwoLevelTree(const Problem& problem);

  topology::TreeNode node(Rank rank) const;
  /// The rank, then all below it, in the order in which their blocks travel.
  std::vector<Rank> subtree(Rank rank) const;

  /// `between`, `inside`, `radix` and `level`.
  static std::vector<Parameter> parameters();
  /// Those with standards for long messages, `segment` and `window`.
  static std::vector<Parameter> pipeline_parameters();

private:
  void append_members(std::int32_t group, std::vector<Rank>& ranks) const;
  /// A member counted from its group's leader on, and back.
  Rank member(std::int32_t group, Rank place) const;
  Rank place(Rank rank) const;
  std::int32_t size(std::int32_t group) const;
  /// A group counted from the root's on.
  std::int32_t absolute_group(std::int32_t relative) const;
  std::int32_t relative_group(Rank rank) const;

  topology::NodeGroups groups_;
  std::int32_t root_group_;
  topology::TreeShape between_;
  topology::TreeShape inside_;
  std::int32_t radix_;
};

constexpr TreeShape shapes[] = {TreeShape::flat, TreeShape::knomial, TreeShape::kary, TreeShape::chain};

Parameter shape_parameter(std::string_view name, std::string_view description) {
  return {.name = name,
          .kind = ParameterKind::choice,
          .max = 3,
          .description = description,
          .choices = {"flat", "knomial", "kary", "chain"},
          .proven_at = {1, 0, 2, 3}};
}

std::vector<Parameter> TwoLevelTree::parameters() {
  return {shape_parameter("between", "tree of the nodes"),
          shape_parameter("inside", "tree inside of a node"),
          {.name = "radix",
           .default_value = 2,
           .min = 2,
           .max = 1024,
           .description = "radix of k-nomial trees, children of a rank in k-ary ones",
           .proven_at = {3, 4}},
          level_parameter()};
}

// A chain gives every link one copy of the message, and a leader reaches all of its node at once.
std::vector<Parameter> TwoLevelTree::pipeline_parameters() {
  std::vector<Parameter> result = parameters();
  result.front().default_value = 3;
  result.push_back(segment_parameter(32 << 10));
  result.push_back(piece_window_parameter());
  return result;
}

TwoLevelTree::TwoLevelTree(const Problem& problem)
    : groups_(*leader_groups(problem, problem.root)), root_group_(groups_.group(problem.root)),
      between_(shapes[problem.parameter("between")]), inside_(shapes[problem.parameter("inside")]),
      radix_(static_cast<std::int32_t>(problem.parameter("radix"))) {
  THALWEG_ASSERT(light, groups_.is_leader(problem.root));
}

TreeNode TwoLevelTree::node(Rank rank) const {
  const std::int32_t group = groups_.group(rank);
  TreeNode within = topology::tree_node(inside_, size(group), radix_, place(rank));
  if (within.parent >= 0)
    within.parent = member(group, within.parent);
  for (Rank& child : within.children)
    child = member(group, child);
  if (!groups_.is_leader(rank))
    return within;
  TreeNode result = topology::tree_node(between_, groups_.count(), radix_, relative_group(rank));
  if (result.parent >= 0)
    result.parent = member(absolute_group(result.parent), 0);
  for (Rank& child : result.children)
    child = member(absolute_group(child), 0);
  result.children.insert(result.children.end(), within.children.begin(), within.children.end());
  return result;
}

std::vector<Rank> TwoLevelTree::subtree(Rank rank) const {
  std::vector<Rank> ranks;
  const std::int32_t group = groups_.group(rank);
  if (!groups_.is_leader(rank)) {
    for (const auto& [begin, end] : topology::subtree(inside_, size(group), radix_, place(rank)))
      for (Rank at = begin; at < end; ++at)
        ranks.push_back(member(group, at));
    return ranks;
  }
  for (const auto& [begin, end] : topology::subtree(between_, groups_.count(), radix_, relative_group(rank)))
    for (std::int32_t at = begin; at < end; ++at)
      append_members(absolute_group(at), ranks);
  return ranks;
}

void TwoLevelTree::append_members(std::int32_t group, std::vector<Rank>& ranks) const {
  for (Rank at = 0; at < size(group); ++at)
    ranks.push_back(member(group, at));
}

std::int32_t TwoLevelTree::size(std::int32_t group) const {
  return static_cast<std::int32_t>(groups_.members[static_cast<std::size_t>(group)].size());
}

Rank TwoLevelTree::member(std::int32_t group, Rank at) const {
  const Rank leader = groups_.leaders[static_cast<std::size_t>(group)];
  const std::int32_t index = (at + groups_.place(leader)) % size(group);
  return groups_.members[static_cast<std::size_t>(group)][static_cast<std::size_t>(index)];
}

Rank TwoLevelTree::place(Rank rank) const {
  const std::int32_t members = size(groups_.group(rank));
  return (groups_.place(rank) - groups_.place(groups_.leader(rank)) + members) % members;
}

std::int32_t TwoLevelTree::absolute_group(std::int32_t relative) const {
  return (relative + root_group_) % groups_.count();
}

std::int32_t TwoLevelTree::relative_group(Rank rank) const {
  return (groups_.group(rank) - root_group_ + groups_.count()) % groups_.count();
}

/// What the pipelines have in common.
Strategy pipeline_of(Operation operation, std::string_view summary, std::string_view wins_when,
                     void (*append)(Builder&)) {
  return {.name = "two_level_pipeline",
          .operation = operation,
          .summary = summary,
          .wins_when = wins_when,
          .source = "Karonis et al. 2000 (levels); Graham, Venkata et al. 2011 (Cheetah: levels overlapped "
                    "by segments)",
          .parameters = TwoLevelTree::pipeline_parameters(),
          .in_place = operation != Operation::broadcast, // which has one buffer
          .uses_nodes = true,
          .unsupported_reason = unsupported_level_reason,
          .pieces = segments,
          .append = append};
}

/// What gather and scatter have in common.
Strategy hierarchy_of(Operation operation, std::string_view summary, void (*append)(Builder&)) {
  return {.name = "two_level",
          .operation = operation,
          .summary = summary,
          .wins_when = "several ranks a node and small blocks, where messages between nodes are dear",
          .source = "Nishtala 2009 (hierarchy); Karonis et al. 2000",
          .parameters = TwoLevelTree::parameters(),
          .in_place = true,
          .uses_nodes = true,
          .unsupported_reason = unsupported_level_reason,
          .append = append};
}

} // namespace

} // namespace thalweg::strategies

namespace thalweg::strategies::broadcast {

namespace {

void append_two_level(Builder& b) {
  PipelineDown pipeline(b, TwoLevelTree(b.problem()).node(b.rank()), b.parameter("window"));
  for (std::int32_t piece = 0; piece < b.pieces(); ++piece)
    pipeline.append(piece);
}

} // namespace

Strategy two_level_pipeline() {
  return pipeline_of(Operation::broadcast,
                     "sends down a tree of the nodes' leaders, each passing segments on inside of its node "
                     "while the next ones are under way between nodes",
                     "several ranks a node, long messages", append_two_level);
}

} // namespace thalweg::strategies::broadcast

namespace thalweg::strategies::reduce {

namespace {

void append_two_level(Builder& b) {
  PipelineUp pipeline(b, commutative_place(TwoLevelTree(b.problem()).node(b.rank())), b.parameter("window"));
  for (std::int32_t piece = 0; piece < b.pieces(); ++piece)
    pipeline.append(piece);
}

} // namespace

Strategy two_level_pipeline() {
  return pipeline_of(Operation::reduce,
                     "combines inside of nodes and up a tree of the nodes' leaders, segment by segment, both "
                     "levels at the same time",
                     "several ranks a node, long vectors", append_two_level);
}

} // namespace thalweg::strategies::reduce

namespace thalweg::strategies::allreduce {

namespace {

void append_two_level(Builder& b) {
  if (b.ranks() == 1) {
    b.copy(schedule::input(0, b.pieces()), schedule::output(0, b.pieces()));
    return;
  }
  UpAndDown tree(b, TwoLevelTree(b.problem()).node(b.rank()));
  for (std::int32_t piece = 0; piece < b.pieces(); ++piece) {
    tree.up(piece);
    tree.down(piece);
  }
}

} // namespace

Strategy two_level_pipeline() {
  return pipeline_of(
      Operation::allreduce,
      "combines inside of nodes and up a tree of the nodes' leaders, and sends sums back down, "
      "segment by segment, both levels and both directions at the same time",
      "several ranks a node, long vectors", append_two_level);
}

} // namespace thalweg::strategies::allreduce

namespace thalweg::strategies::gather {

namespace {

void append_two_level(Builder& b) {
  const TwoLevelTree tree(b.problem());
  append_gather(b, tree.node(b.rank()), [&](Rank rank) { return tree.subtree(rank); });
}

} // namespace

Strategy two_level() {
  return hierarchy_of(
      Operation::gather,
      "each node gathers at one of its ranks, which sends the node's blocks on as one message",
      append_two_level);
}

} // namespace thalweg::strategies::gather

namespace thalweg::strategies::scatter {

namespace {

void append_two_level(Builder& b) {
  const TwoLevelTree tree(b.problem());
  append_scatter(b, tree.node(b.rank()), [&](Rank rank) { return tree.subtree(rank); });
}

} // namespace

Strategy two_level() {
  return hierarchy_of(
      Operation::scatter,
      "the root sends each node's blocks as one message to one of its ranks, which deals them out",
      append_two_level);
}

} // namespace thalweg::strategies::scatter
