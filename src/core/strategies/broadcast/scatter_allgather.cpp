// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/composition.hpp"
#include "strategies/tree_steps.hpp"

#include <algorithm>
#include <array>

namespace thalweg::strategies::broadcast {

namespace {

constexpr std::array<std::string_view, 6> choices{"ring",    "hypercube", "bruck",
                                                  "sparbit", "direct",    "knomial"};
constexpr Stage allgather{Operation::allgather, "allgather", choices, "the all-gather of the parts"};

/// There are as many parts as ranks other than the root, which has everything and may not be written to.
std::int32_t parts(const Problem& problem) {
  return std::max(1, problem.ranks - 1);
}

/// The parts of those below a relative rank other than the root: relative rank r has part r - 1, subtrees are
/// intervals.
schedule::BlockList parts_below(const Builder& b, std::int32_t radix, Rank relative_rank) {
  const auto [begin, end] =
      topology::subtree(topology::TreeShape::knomial, b.ranks(), radix, relative_rank).front();
  const std::int32_t share = b.pieces() / parts(b.problem());
  return schedule::output((begin - 1) * share, (end - begin) * share);
}

void append(Builder& b) {
  const Problem& problem = b.problem();
  const auto radix = static_cast<std::int32_t>(b.parameter("radix"));
  const Rank self = relative(problem, b.rank());
  const topology::TreeNode node = topology::tree_node(topology::TreeShape::knomial, b.ranks(), radix, self);
  if (node.parent >= 0)
    b.receive(absolute(problem, node.parent), parts_below(b, radix, self));
  b.round();
  for (const Rank child : node.children)
    b.send(absolute(problem, child), parts_below(b, radix, child));
  if (self == 0)
    return;
  std::vector<Rank> members;
  for (Rank other = 1; other < b.ranks(); ++other)
    members.push_back(absolute(problem, other));
  append_vector_allgather(b, allgather, members);
}

} // namespace

Strategy scatter_allgather() {
  std::vector<Parameter> parameters = degree_parameters(topology::TreeShape::knomial);
  parameters.front().proven_at = {4};
  parameters.push_back(allgather.parameter());
  return {
      .name = "scatter_allgather",
      .operation = Operation::broadcast,
      .summary =
          "the root's message is scattered in parts over a k-nomial tree, then the others gather the parts",
      .wins_when = "large messages",
      .source = "van de Geijn 1994; Thakur, Rabenseifner, Gropp 2005, section 4.3",
      .parameters = parameters,
      .order_matters = true,
      .unsupported_reason =
          [](const Problem& problem) {
            return allgather.unsupported_reason(problem, parts(problem), problem.unit_bytes / parts(problem));
          },
      .pieces = parts,
      .append = append};
}

} // namespace thalweg::strategies::broadcast
