// SPDX-License-Identifier: BSD-3-Clause
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

std::shared_ptr<const topology::NodeGroups> leader_groups(const Problem& problem, Rank root) {
  struct Found {
    std::shared_ptr<const std::vector<std::int32_t>> of;
    std::int32_t ranks = -1;
    Rank root = -1;
    std::shared_ptr<const topology::NodeGroups> groups;
  };
  thread_local Found last;
  const auto& of = is_by_socket(problem) ? problem.sockets : problem.nodes;
  if (last.of != of || last.ranks != problem.ranks || last.root != root)
    last = {
        of, problem.ranks, root,
        std::make_shared<const topology::NodeGroups>(topology::node_groups(problem.ranks, of.get(), root))};
  return last.groups;
}

std::optional<std::string> unsupported_level_reason(const Problem& problem) {
  if (is_by_socket(problem) && !problem.sockets)
    return "level=socket: no node has ranks that stay on several sockets";
  return std::nullopt;
}

} // namespace thalweg::strategies
