// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/allgather/layout.hpp"
#include "strategies/index.hpp"
#include "topology/node_groups.hpp"

#include <array>

namespace thalweg::strategies::allgather {

namespace {

using schedule::BlockList;
using schedule::Subproblem;

constexpr std::array<std::string_view, 5> among_leaders{"ring", "direct", "bruck", "knomial", "mesh2d"};
constexpr std::array<std::string_view, 2> within_node{"flat", "knomial"};

/// The leaders' all-gather: a unit is the blocks of a node.
Subproblem leaders_problem(const topology::NodeGroups& nodes, Rank self) {
  Subproblem sub{.problem = {.operation = Operation::allgather},
                 .members = nodes.leaders,
                 .input_units = {},
                 .output_units = {}};
  for (const std::vector<Rank>& members : nodes.members) {
    BlockList unit;
    for (const Rank member : members)
      unit.push_back({schedule::Buffer::output, member});
    sub.output_units.push_back(std::move(unit));
  }
  sub.input_units = {sub.output_units[static_cast<std::size_t>(nodes.group(self))]};
  return sub;
}

void append(Builder& b) {
  const topology::NodeGroups nodes = topology::node_groups(b.ranks(), b.problem().nodes.get());
  const std::vector<Rank>& members = nodes.members_with(b.rank());
  const Rank leader = nodes.leader(b.rank());
  b.copy(schedule::input(0), schedule::output(b.rank()));
  if (b.rank() != leader)
    b.send(leader, schedule::input(0));
  else
    for (const Rank member : members)
      if (member != leader)
        b.receive(member, schedule::output(member));
  if (b.rank() == leader)
    append_stage(b, among_leaders[static_cast<std::size_t>(b.parameter("leaders"))],
                 leaders_problem(nodes, leader));
  append_stage(b, within_node[static_cast<std::size_t>(b.parameter("inside"))],
               {.problem = {.operation = Operation::broadcast},
                .members = members,
                .input_units = {},
                .output_units = {schedule::output(0, b.ranks())}});
}

} // namespace

Strategy two_level() {
  return {.name = "two_level",
          .operation = Operation::allgather,
          .summary = "gathers on each node's leader, all-gathers among leaders, broadcasts within nodes",
          .wins_when =
              "several ranks a node, short and medium blocks: the network carries each block once a node",
          .source = "Traeff 2006, hierarchical all-gather; MVAPICH's leader-based collectives",
          .parameters = {{.name = "leaders",
                          .kind = ParameterKind::choice,
                          .default_value = 0,
                          .min = 0,
                          .max = std::ssize(among_leaders) - 1,
                          .description = "the all-gather that the leaders run",
                          .choices = {among_leaders.begin(), among_leaders.end()},
                          .proven_at = {2, 1, 3, 4}},
                         {.name = "inside",
                          .kind = ParameterKind::choice,
                          .default_value = 0,
                          .min = 0,
                          .max = std::ssize(within_node) - 1,
                          .description = "the broadcast within a node",
                          .choices = {within_node.begin(), within_node.end()},
                          .proven_at = {1}}},
          .unequal_blocks = true,
          .in_place = true,
          .uses_nodes = true,
          .append = append};
}

} // namespace thalweg::strategies::allgather
