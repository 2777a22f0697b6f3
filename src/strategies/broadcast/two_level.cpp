#include "strategies/segments.hpp"
#include "strategies/stages.hpp"

namespace thalweg::strategies::broadcast {

namespace {

const Stage& between() {
  static const Stage stage(Operation::broadcast, "between", {"knomial", "kary", "chain", "flat", "double_tree", "bine"});
  return stage;
}

const Stage& inside() {
  static const Stage stage(Operation::broadcast, "inside", {"knomial", "flat", "kary", "chain", "double_tree"});
  return stage;
}

void append(Builder& b) {
  const topology::NodeGroups groups = groups_of(b.problem());
  const std::vector<schedule::BlockList> everything{schedule::output(0, b.pieces())};
  if (groups.is_leader(b.rank()))
    between().append(b, {.problem = between().problem(b.problem(), groups.count(), groups.group(b.root())),
                         .members = groups.leaders,
                         .input_units = {},
                         .output_units = everything});
  const std::vector<Rank>& members = groups.members_with(b.rank());
  const Rank leader = groups.place(groups.leader(b.rank()));
  inside().append(b, {.problem = inside().problem(b.problem(), static_cast<std::int32_t>(members.size()), leader),
                      .members = members,
                      .input_units = {},
                      .output_units = everything});
}

} // namespace

Strategy two_level() {
  return {.name = "two_level",
          .operation = Operation::broadcast,
          .summary = "the root's message goes to one rank of each node, and from there to the others of the node",
          .wins_when = "several ranks a node, where messages between nodes are dear",
          .source = "Nishtala 2009, section 5.3 (hierarchy); Karonis et al. 2000",
          .parameters = {between().parameter("strategy between nodes"), inside().parameter("strategy inside of nodes"),
                         segment_parameter(0), window_parameter()},
          .uses_nodes = true,
          .pieces =
              [](const Problem& problem) {
                return std::max(between().pieces(problem, between().problem(problem, problem.ranks)),
                                inside().pieces(problem, inside().problem(problem, problem.ranks)));
              },
          .append = append};
}

} // namespace thalweg::strategies::broadcast
