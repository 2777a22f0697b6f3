// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/tree_parameters.hpp"

#include "strategies/segments.hpp"

namespace thalweg::strategies {

using topology::TreeNode;
using topology::TreeShape;

std::vector<Parameter> degree_parameters(TreeShape shape) {
  switch (shape) {
  case TreeShape::kary:
    return {{.name = "degree",
             .default_value = 2,
             .min = 1,
             .max = 1024,
             .description = "children of a rank",
             .proven_at = {3, 1, 5}}};
  case TreeShape::knomial:
    return {{.name = "radix",
             .default_value = 2,
             .min = 2,
             .max = 1024,
             .description = "k of the k-nomial tree; 2: binomial",
             .proven_at = {3, 4, 8}}};
  case TreeShape::fork:
    return {{.name = "chains",
             .default_value = 2,
             .min = 1,
             .max = 1024,
             .description = "chains that hang on the root",
             .proven_at = {3, 8}}};
  case TreeShape::chain:
  case TreeShape::flat:
  case TreeShape::bine:
    return {};
  }
  return {};
}

std::vector<Parameter> pipeline_parameters(TreeShape shape, std::int64_t segment_bytes) {
  std::vector<Parameter> parameters = degree_parameters(shape);
  parameters.push_back(segment_parameter(segment_bytes));
  parameters.push_back(piece_window_parameter());
  return parameters;
}

std::int32_t degree(const Problem& problem, TreeShape shape) {
  const std::vector<Parameter> parameters = degree_parameters(shape);
  return parameters.empty() ? 1 : static_cast<std::int32_t>(problem.parameter(parameters.front().name));
}

TreeNode rooted(TreeNode node, const Problem& problem) {
  if (node.parent >= 0)
    node.parent = absolute(problem, node.parent);
  for (Rank& child : node.children)
    child = absolute(problem, child);
  return node;
}

TreeNode rooted_node(const Builder& builder, TreeShape shape) {
  const Problem& problem = builder.problem();
  return rooted(
      topology::tree_node(shape, problem.ranks, degree(problem, shape), relative(problem, builder.rank())),
      problem);
}

} // namespace thalweg::strategies
