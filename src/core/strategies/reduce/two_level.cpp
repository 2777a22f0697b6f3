// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/composition.hpp"
#include "strategies/segments.hpp"

#include <array>

namespace thalweg::strategies::reduce {

namespace {

using schedule::BlockList;
using Units = std::vector<BlockList>;

constexpr std::array<std::string_view, 6> between_choices{"knomial",        "chain",       "rabenseifner",
                                                          "inorder_binary", "double_tree", "flat"};
constexpr std::array<std::string_view, 4> inside_choices{"knomial", "flat", "chain", "inorder_binary"};
constexpr Stage between{Operation::reduce, "between", between_choices, "the reduce between nodes"};
constexpr Stage inside{Operation::reduce, "inside", inside_choices, "the reduce inside of nodes"};

std::shared_ptr<const topology::NodeGroups> groups_of(const Problem& problem) {
  return leader_groups(problem, problem.root);
}

/// Combines on this rank's node; where the node's sum is, on its leader.
BlockList append_inside(Builder& b, const topology::NodeGroups& groups) {
  const std::vector<Rank>& members = groups.members_with(b.rank());
  const bool is_root = b.rank() == b.root();
  // A rank alone on its node sends its input itself.
  if (members.size() == 1 && !is_root)
    return schedule::input(0, b.pieces());
  Units sums;
  if (is_root)
    sums = {schedule::output(0, b.pieces())};
  else if (groups.is_leader(b.rank()))
    sums = {schedule::scratch(b.scratch_blocks(b.canonical()), b.pieces())};
  inside.append(b,
                {.problem = {.root = groups.place(groups.leader(b.rank())),
                             .in_place = is_root && b.problem().in_place},
                 .members = members,
                 .input_units = {schedule::input(0, b.pieces())},
                 .output_units = sums},
                b.problem().unit_bytes);
  return sums.empty() ? BlockList{} : sums.front();
}

void append(Builder& b) {
  const auto found = groups_of(b.problem());
  const topology::NodeGroups& groups = *found;
  const BlockList sum = append_inside(b, groups);
  if (!groups.is_leader(b.rank()))
    return;
  const bool is_root = b.rank() == b.root();
  between.append(b,
                 {.problem = {.root = groups.group(b.root()), .in_place = is_root},
                  .members = groups.leaders,
                  .input_units = {sum},
                  .output_units = is_root ? Units{sum} : Units{}},
                 b.problem().unit_bytes);
}

std::optional<std::string> unsupported_reason(const Problem& problem) {
  if (auto why = unsupported_level_reason(problem))
    return why;
  const auto groups = groups_of(problem);
  if (!problem.commutative && !groups->contiguous())
    return "it combines node by node, and nodes' ranks are not neighbors";
  if (auto why = between.unsupported_reason(problem, groups->count(), problem.unit_bytes))
    return why;
  return inside.unsupported_reason(problem, problem.ranks, problem.unit_bytes);
}

std::int32_t pieces(const Problem& problem) {
  return common_pieces({between.pieces(problem, groups_of(problem)->count(), problem.unit_bytes),
                        inside.pieces(problem, problem.ranks, problem.unit_bytes)});
}

} // namespace

Strategy two_level() {
  return {.name = "two_level",
          .operation = Operation::reduce,
          .summary = "each node combines at one of its ranks, then those ranks combine at the root",
          .wins_when = "several ranks a node, where messages between nodes are dear",
          .source = "Nishtala 2009 (hierarchy); Karonis et al. 2000",
          .parameters = {between.parameter(), inside.parameter(), level_parameter(), segment_parameter(0),
                         piece_window_parameter()},
          .keeps_rank_order = true,
          .in_place = true,
          .uses_nodes = true,
          .unsupported_reason = unsupported_reason,
          .pieces = pieces,
          .append = append};
}

} // namespace thalweg::strategies::reduce
