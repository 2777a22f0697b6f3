#include "strategies/leader_groups.hpp"

namespace thalweg::strategies {

namespace {

bool is_by_socket(const Problem& problem) {
  return problem.parameter("level") != 0;
}

} // namespace

Parameter level_parameter() {
  return {.name = "level",
          .kind = ParameterKind::choice,
          .max = 1,
          .description = "what has a leader of its own",
          .choices = {"node", "socket"},
          .proven_at = {1, 0}};
}

topology::NodeGroups leader_groups(const Problem& problem, Rank root) {
  const auto& groups = is_by_socket(problem) ? problem.sockets : problem.nodes;
  return topology::node_groups(problem.ranks, groups.get(), root);
}

std::optional<std::string> unsupported_level_reason(const Problem& problem) {
  if (is_by_socket(problem) && !problem.sockets)
    return "level=socket: no node has ranks that stay on several sockets";
  return std::nullopt;
}

} // namespace thalweg::strategies
