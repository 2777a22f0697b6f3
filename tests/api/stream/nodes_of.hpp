// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Nodes for tests of shapes.

#include <cstdint>
#include <vector>

namespace thalweg::streams {

/// The node of each rank, where ranks fill nodes in their order.
inline std::vector<std::int32_t> nodes_of(std::int32_t ranks, std::int32_t on_node) {
  std::vector<std::int32_t> nodes;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    nodes.push_back(rank / on_node);
  return nodes;
}

} // namespace thalweg::streams
