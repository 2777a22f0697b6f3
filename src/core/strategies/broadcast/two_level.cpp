// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/composition.hpp"
#include "strategies/segments.hpp"

#include <array>

namespace thalweg::strategies::broadcast {

namespace {

constexpr std::array<std::string_view, 6> between_choices{"knomial",     "chain", "scatter_allgather",
                                                          "double_tree", "bine",  "flat"};
constexpr std::array<std::string_view, 4> inside_choices{"knomial", "flat", "chain", "double_tree"};
constexpr Stage between{Operation::broadcast, "between", between_choices, "the broadcast between nodes"};
constexpr Stage inside{Operation::broadcast, "inside", inside_choices, "the broadcast inside of nodes"};

std::shared_ptr<const topology::NodeGroups> groups_of(const Problem& problem) {
  return leader_groups(problem, problem.root);
}

void append(Builder& b) {
  const auto found = groups_of(b.problem());
  const topology::NodeGroups& groups = *found;
  const std::int64_t bytes = b.problem().unit_bytes;
  const std::vector<schedule::BlockList> everything{schedule::output(0, b.pieces())};
  if (groups.is_leader(b.rank()))
    between.append(b,
                   {.problem = {.root = groups.group(b.root())},
                    .members = groups.leaders,
                    .input_units = {},
                    .output_units = everything},
                   bytes);
  inside.append(b,
                {.problem = {.root = groups.place(groups.leader(b.rank()))},
                 .members = groups.members_with(b.rank()),
                 .input_units = {},
                 .output_units = everything},
                bytes);
}

std::int32_t pieces(const Problem& problem) {
  return common_pieces({between.pieces(problem, groups_of(problem)->count(), problem.unit_bytes),
                        inside.pieces(problem, problem.ranks, problem.unit_bytes)});
}

} // namespace

Strategy two_level() {
  return {.name = "two_level",
          .operation = Operation::broadcast,
          .summary =
              "the root's message goes to one rank of each node, and from there to the others of the node",
          .wins_when = "several ranks a node, where messages between nodes are dear",
          .source = "Nishtala 2009 (hierarchy); Karonis et al. 2000",
          .parameters = {between.parameter(), inside.parameter(), level_parameter(), segment_parameter(0),
                         piece_window_parameter()},
          .uses_nodes = true,
          .unsupported_reason = unsupported_level_reason,
          .pieces = pieces,
          .append = append};
}

} // namespace thalweg::strategies::broadcast
