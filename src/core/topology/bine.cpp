// SPDX-License-Identifier: BSD-3-Clause
#include "topology/bine.hpp"

#include "base/arithmetic.hpp"

namespace thalweg::topology {

namespace {

// A node's number is d(a1) - d(a2) + d(a3) - .. over the edges from the root, a1 > a2 > .., d as in
// bine_distance. As d(n) = d(m) modulo 2^m for n >= m, its last edge is the largest m for which it is d(m),
// or 0 if even, modulo 2^m.
int last_edge(int digits, Rank node) {
  int edge = 1;
  while (edge < digits &&
         modulo(node - (node % 2 == 0 ? 0 : bine_distance(edge + 1)), std::int64_t{1} << (edge + 1)) == 0)
    ++edge;
  return edge;
}

Rank neighbor(int digits, Rank node, int edge) {
  const std::int32_t distance = node % 2 == 0 ? bine_distance(edge) : -bine_distance(edge);
  return static_cast<Rank>(modulo(node + distance, std::int64_t{1} << digits));
}

} // namespace

std::int32_t bine_distance(int terms) {
  return static_cast<std::int32_t>((1 - power(-2, terms)) / 3);
}

TreeNode bine_node(int digits, Rank node) {
  TreeNode result;
  int edges = digits;
  if (node != 0) {
    const int own = last_edge(digits, node);
    result.parent = neighbor(digits, node, own);
    edges = own - 1;
  }
  for (; edges >= 1; --edges)
    result.children.push_back(neighbor(digits, node, edges));
  return result;
}

std::pair<Rank, Rank> bine_subtree(int digits, Rank node) {
  if (node == 0)
    return {0, static_cast<Rank>(std::int64_t{1} << digits)};
  // Seen from an even node; an odd one's is its mirror image.
  const int edges = last_edge(digits, node) - 1;
  std::int32_t low = 0;
  for (int edge = 1; edge <= edges; ++edge)
    if (bine_distance(edge) < 0)
      low = bine_distance(edge) - (low + (1 << (edge - 1)) - 1);
  const std::int32_t size = 1 << edges;
  const Rank begin = node % 2 == 0 ? node + low : node - (low + size - 1);
  return {begin, begin + size};
}

} // namespace thalweg::topology
