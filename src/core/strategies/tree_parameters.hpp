// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the tree strategies of broadcast, reduce, gather and scatter have in common: their shapes' parameters,
// and a rank's place in the tree that stands at the problem's root.

#include "strategies/strategy.hpp"
#include "topology/tree.hpp"

namespace thalweg::strategies {

/// The parameter that says how wide trees of that shape are (radix, degree, chains), none for chain and flat.
std::vector<Parameter> degree_parameters(topology::TreeShape shape);
/// Those, `segment` with its standard, and `window`.
std::vector<Parameter> pipeline_parameters(topology::TreeShape shape, std::int64_t segment_bytes);

/// The problem's value of the shape's parameter, 1 where it has none.
std::int32_t degree(const Problem& problem, topology::TreeShape shape);

/// The rank's place in the tree over relative ranks (rank - root) mod P, with parent and children as ranks.
topology::TreeNode rooted_node(const Builder& builder, topology::TreeShape shape);
/// The same where the tree itself is known: node 0 is the root.
topology::TreeNode rooted(topology::TreeNode node, const Problem& problem);

inline Rank relative(const Problem& problem, Rank rank) {
  return (rank - problem.root + problem.ranks) % problem.ranks;
}
inline Rank absolute(const Problem& problem, Rank relative_rank) {
  return static_cast<Rank>((std::int64_t{relative_rank} + problem.root) % problem.ranks);
}

} // namespace thalweg::strategies
