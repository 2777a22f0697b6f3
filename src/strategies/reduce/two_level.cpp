#include "strategies/segments.hpp"
#include "strategies/stages.hpp"

namespace thalweg::strategies::reduce {

namespace {

using schedule::BlockList;
using Units = std::vector<BlockList>;

const Stage& between() {
  static const Stage stage(Operation::reduce, "between",
                           {"knomial", "kary", "chain", "flat", "inorder_binary", "double_tree", "bine"});
  return stage;
}

const Stage& inside() {
  static const Stage stage(Operation::reduce, "inside", {"knomial", "flat", "kary", "chain", "inorder_binary", "double_tree"});
  return stage;
}

void append(Builder& b) {
  const topology::NodeGroups groups = groups_of(b.problem());
  const std::vector<Rank>& members = groups.members_with(b.rank());
  const Rank leader = groups.leader(b.rank());
  const bool is_leader = leader == b.rank();
  const bool is_root = b.root() == b.rank();

  // A node's sum: in its leader's scratch, at the root in the output. A rank alone on its node sends its input itself.
  const bool is_alone = members.size() == 1 && !is_root;
  BlockList sum = is_root ? schedule::output(0, b.pieces()) : schedule::input(0, b.pieces());
  if (!is_alone) {
    if (is_leader && !is_root)
      sum = schedule::scratch(b.scratch_blocks(b.canonical()), b.pieces());
    Problem stage = inside().problem(b.problem(), static_cast<std::int32_t>(members.size()), groups.place(leader));
    stage.in_place = is_root && b.problem().in_place;
    inside().append(b, {.problem = std::move(stage),
                        .members = members,
                        .input_units = {schedule::input(0, b.pieces())},
                        .output_units = is_leader ? Units{sum} : Units{}});
  }
  if (!is_leader)
    return;
  Problem stage = between().problem(b.problem(), groups.count(), groups.group(b.root()));
  stage.in_place = is_root;
  between().append(b, {.problem = std::move(stage),
                       .members = groups.leaders,
                       .input_units = {sum},
                       .output_units = is_root ? Units{sum} : Units{}});
}

std::optional<std::string> refuses(const Problem& problem) {
  if (!problem.commutative && !groups_of(problem).contiguous())
    return "ranks of different nodes interleave, and the operator does not commute";
  if (auto why = between().refusal(problem, between().problem(problem, problem.ranks)))
    return why;
  return inside().refusal(problem, inside().problem(problem, problem.ranks));
}

} // namespace

Strategy two_level() {
  return {.name = "two_level",
          .operation = Operation::reduce,
          .summary = "each node combines at one of its ranks, then those ranks combine at the root",
          .wins_when = "several ranks a node, where messages between nodes are dear",
          .source = "Nishtala 2009, section 5.3 (hierarchy); Karonis et al. 2000",
          .parameters = {between().parameter("strategy between nodes"), inside().parameter("strategy inside of nodes"),
                         segment_parameter(0), window_parameter()},
          .keeps_rank_order = true,
          .in_place = true,
          .uses_nodes = true,
          .refuses = refuses,
          .pieces =
              [](const Problem& problem) {
                return std::max(between().pieces(problem, between().problem(problem, problem.ranks)),
                                inside().pieces(problem, inside().problem(problem, problem.ranks)));
              },
          .append = append};
}

} // namespace thalweg::strategies::reduce
