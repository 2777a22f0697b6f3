// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/block.hpp"
#include "strategies/index.hpp"
#include "topology/node_groups.hpp"

#include <array>

namespace thalweg::strategies::alltoall {

namespace {

using schedule::BlockList;
using schedule::Buffer;
using schedule::Subproblem;
using topology::NodeGroups;

constexpr std::array<std::string_view, 4> among_leaders{"cyclic", "direct", "prefix", "ring"};

// What leaves a node goes through its leader, which keeps two scratch areas:
//   leaving   a row a member (but the leader, whose row is his input), in it the ranks of all other nodes
//   coming    a row a rank of the other nodes, in it the members (but the leader: his go to his output)
// Ranks of other nodes stand node by node.
class Leader {
public:
  Leader(Builder& b, const NodeGroups& nodes)
      : nodes_(nodes), group_(nodes.group(b.rank())), members_(nodes.members_with(b.rank())),
        others_(b.ranks() - static_cast<std::int32_t>(members_.size())) {
    const auto rows = static_cast<std::int32_t>(members_.size()) - 1;
    leaving_ = b.scratch_blocks(rows * others_);
    coming_ = b.scratch_blocks(others_ * rows);
  }

  BlockList row_of(std::size_t member) const {
    return schedule::scratch(leaving_ + (static_cast<std::int32_t>(member) - 1) * others_, others_);
  }
  BlockList column_of(std::size_t member) const {
    const auto rows = static_cast<std::int32_t>(members_.size()) - 1;
    return strided(Buffer::scratch, coming_ + static_cast<std::int32_t>(member) - 1, 1, others_, rows);
  }

  /// The leaders' all-to-all: unit n is all that goes to, or comes from, node n; nothing for the own one.
  Subproblem problem() const {
    Subproblem sub{.problem = {.operation = Operation::alltoall},
                   .members = nodes_.leaders,
                   .input_units = {},
                   .output_units = {}};
    std::int32_t before = 0;
    for (std::int32_t group = 0; group < nodes_.count(); ++group) {
      const std::vector<Rank>& theirs = nodes_.members[static_cast<std::size_t>(group)];
      sub.input_units.push_back(group == group_ ? BlockList{} : leaving_for(theirs, before));
      sub.output_units.push_back(group == group_ ? BlockList{} : coming_from(theirs, before));
      before += group == group_ ? 0 : static_cast<std::int32_t>(theirs.size());
    }
    return sub;
  }

private:
  /// Sender by sender, in the order of members.
  BlockList leaving_for(const std::vector<Rank>& theirs, std::int32_t before) const {
    BlockList blocks;
    for (const Rank rank : theirs)
      blocks.push_back({Buffer::input, rank});
    return std::move(blocks) + strided(Buffer::scratch, leaving_ + before,
                                       static_cast<std::int32_t>(theirs.size()), std::ssize(members_) - 1,
                                       others_);
  }

  BlockList coming_from(const std::vector<Rank>& theirs, std::int32_t before) const {
    const auto rows = static_cast<std::int32_t>(members_.size()) - 1;
    BlockList blocks;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      blocks.push_back({Buffer::output, theirs[i]});
      if (rows > 0)
        blocks.push_back({Buffer::scratch, coming_ + (before + static_cast<std::int32_t>(i)) * rows, rows});
    }
    return blocks;
  }

  const NodeGroups& nodes_;
  std::int32_t group_;
  const std::vector<Rank>& members_;
  std::int32_t others_;
  std::int32_t leaving_ = 0;
  std::int32_t coming_ = 0;
};

/// The ranks of all nodes but one, node by node.
BlockList outside(const NodeGroups& nodes, std::int32_t group, Buffer buffer) {
  BlockList blocks;
  for (std::int32_t other = 0; other < nodes.count(); ++other)
    if (other != group)
      for (const Rank rank : nodes.members[static_cast<std::size_t>(other)])
        blocks.push_back({buffer, rank});
  return blocks;
}

void append_within_node(Builder& b, const std::vector<Rank>& members) {
  b.copy(schedule::input(b.rank()), schedule::output(b.rank()));
  for (const Rank member : members)
    if (member != b.rank())
      b.receive(member, schedule::output(member));
  for (const Rank member : members)
    if (member != b.rank())
      b.send(member, schedule::input(member));
}

void append(Builder& b) {
  const NodeGroups nodes = topology::node_groups(b.ranks(), b.problem().nodes.get());
  const std::vector<Rank>& members = nodes.members_with(b.rank());
  const Rank leader = nodes.leader(b.rank());
  append_within_node(b, members);
  if (b.rank() != leader) {
    b.send(leader, outside(nodes, nodes.group(leader), Buffer::input));
    b.round();
    b.receive(leader, outside(nodes, nodes.group(leader), Buffer::output));
    return;
  }
  const Leader area(b, nodes);
  for (std::size_t member = 1; member < members.size(); ++member)
    b.receive(members[member], area.row_of(member));
  append_stage(b, among_leaders[static_cast<std::size_t>(b.parameter("leaders"))], area.problem());
  for (std::size_t member = 1; member < members.size(); ++member)
    b.send(members[member], area.column_of(member));
}

} // namespace

Strategy two_level() {
  return {.name = "two_level",
          .operation = Operation::alltoall,
          .summary = "directly within nodes; between nodes all that one node has for another goes as one "
                     "message of their leaders",
          .wins_when = "short blocks and many ranks a node: as many messages as nodes squared",
          .source = "Traeff 2006, hierarchical collectives; Kumar 2005, section 3.1 (message combining)",
          .parameters = {{.name = "leaders",
                          .kind = ParameterKind::choice,
                          .default_value = 0,
                          .min = 0,
                          .max = std::ssize(among_leaders) - 1,
                          .description = "the all-to-all that the leaders run",
                          .choices = {among_leaders.begin(), among_leaders.end()},
                          .proven_at = {1, 2, 3}}},
          .uses_nodes = true,
          .append = append};
}

} // namespace thalweg::strategies::alltoall
