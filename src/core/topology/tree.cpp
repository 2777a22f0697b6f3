// SPDX-License-Identifier: BSD-3-Clause
#include "topology/tree.hpp"

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"
#include "topology/exchanges.hpp"

#include <algorithm>

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

Rank bine_neighbor(int digits, Rank node, int edge) {
  const std::int32_t distance = node % 2 == 0 ? bine_distance(edge) : -bine_distance(edge);
  return static_cast<Rank>(modulo(node + distance, std::int64_t{1} << digits));
}

} // namespace

std::int32_t bine_distance(int terms) {
  return static_cast<std::int32_t>((1 - power(-2, terms)) / 3);
}

TreeNode bine_node(int digits, Rank node) {
  THALWEG_ASSERT(normal, digits >= 0 && digits < 31 && node >= 0 && node < 1 << digits);
  TreeNode result;
  int edges = digits;
  if (node != 0) {
    const int own = last_edge(digits, node);
    result.parent = bine_neighbor(digits, node, own);
    edges = own - 1;
  }
  for (; edges >= 1; --edges)
    result.children.push_back(bine_neighbor(digits, node, edges));
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

namespace {

/// How many ranks a node's subtree may span: the largest power of k that divides it; for the root the first
/// that is >= size.
std::int64_t knomial_reach(std::int32_t size, std::int32_t k, Rank node) {
  std::int64_t reach = 1;
  while (node == 0 ? reach < size : node % (reach * k) == 0)
    reach *= k;
  return reach;
}

TreeNode knomial_node(std::int32_t size, std::int32_t k, Rank node) {
  TreeNode result;
  const std::int64_t reach = knomial_reach(size, k, node);
  if (node != 0)
    result.parent = static_cast<Rank>(node - node % (reach * k));
  for (std::int64_t level = reach / k; level >= 1; level /= k)
    for (std::int64_t i = 1; i < k && node + i * level < size; ++i)
      result.children.push_back(static_cast<Rank>(node + i * level));
  return result;
}

/// The chain of a fork that a node other than 0 lies in covers first .. last.
std::pair<Rank, Rank> fork_chain(std::int32_t size, std::int32_t k, std::int32_t chain) {
  const std::int64_t others = size - 1;
  return {static_cast<Rank>(1 + others * chain / k), static_cast<Rank>(others * (chain + 1) / k)};
}

TreeNode fork_node(std::int32_t size, std::int32_t k, Rank node) {
  TreeNode result;
  for (std::int32_t chain = 0; chain < k; ++chain) {
    const auto [first, last] = fork_chain(size, k, chain);
    if (first > last)
      continue;
    if (node == 0)
      result.children.push_back(first);
    else if (first <= node && node <= last) {
      result.parent = node == first ? 0 : node - 1;
      if (node < last)
        result.children.push_back(node + 1);
    }
  }
  return result;
}

Places bine_places(std::int32_t size) {
  return {size, exchange_places(size, 2)};
}

TreeNode folded_bine_node(std::int32_t size, Rank node) {
  const Places places = bine_places(size);
  const std::int32_t place = places.place_of(node);
  const Rank speaker = places.begin(place);
  if (node != speaker)
    return {.parent = speaker};
  TreeNode result = bine_node(floor_log(2, places.count()), place);
  if (result.parent >= 0)
    result.parent = places.begin(result.parent);
  for (Rank& child : result.children)
    child = places.begin(child);
  for (Rank member = speaker + 1; member < places.end(place); ++member)
    result.children.push_back(member);
  return result;
}

std::pair<Rank, Rank> folded_bine_subtree(std::int32_t size, Rank node) {
  const Places places = bine_places(size);
  const std::int32_t place = places.place_of(node);
  if (node != places.begin(place))
    return {node, node + 1};
  const auto [begin, end] = bine_subtree(floor_log(2, places.count()), place);
  return {places.begin(begin), places.begin(end)};
}

} // namespace

TreeNode tree_node(TreeShape shape, std::int32_t size, std::int32_t degree, Rank node) {
  THALWEG_ASSERT(normal, node >= 0 && node < size && degree >= (shape == TreeShape::knomial ? 2 : 1));
  TreeNode result;
  switch (shape) {
  case TreeShape::kary:
    result.parent = node == 0 ? -1 : (node - 1) / degree;
    for (std::int64_t child = std::int64_t{node} * degree + 1;
         child <= std::int64_t{node} * degree + degree && child < size; ++child)
      result.children.push_back(static_cast<Rank>(child));
    return result;
  case TreeShape::knomial:
    return knomial_node(size, degree, node);
  case TreeShape::chain:
    return fork_node(size, 1, node);
  case TreeShape::flat:
    if (node != 0)
      result.parent = 0;
    else
      for (Rank child = 1; child < size; ++child)
        result.children.push_back(child);
    return result;
  case TreeShape::fork:
    return fork_node(size, degree, node);
  case TreeShape::bine:
    return folded_bine_node(size, node);
  }
  return result;
}

std::vector<std::pair<Rank, Rank>> subtree(TreeShape shape, std::int32_t size, std::int32_t degree,
                                           Rank node) {
  THALWEG_ASSERT(normal, node >= 0 && node < size && degree >= (shape == TreeShape::knomial ? 2 : 1));
  if (node == 0)
    return {{0, size}};
  switch (shape) {
  case TreeShape::kary: {
    std::vector<std::pair<Rank, Rank>> levels;
    std::int64_t first = node;
    std::int64_t last = node;
    while (first < size) {
      levels.emplace_back(static_cast<Rank>(first),
                          static_cast<Rank>(std::min<std::int64_t>(last + 1, size)));
      first = first * degree + 1;
      last = last * degree + degree;
      if (degree == 1 && levels.size() > 1 && levels[levels.size() - 2].second == levels.back().first) {
        levels[levels.size() - 2].second = levels.back().second;
        levels.pop_back();
      }
    }
    return levels;
  }
  case TreeShape::knomial:
    return {
        {node, static_cast<Rank>(std::min<std::int64_t>(size, node + knomial_reach(size, degree, node)))}};
  case TreeShape::flat:
    return {{node, node + 1}};
  case TreeShape::chain:
    return {{node, size}};
  case TreeShape::fork:
    for (std::int32_t chain = 0; chain < degree; ++chain) {
      const auto [first, last] = fork_chain(size, degree, chain);
      if (first <= node && node <= last)
        return {{node, last + 1}};
    }
    return {};
  case TreeShape::bine:
    return {folded_bine_subtree(size, node)};
  }
  return {};
}

namespace {

Rank middle(Rank begin, Rank end) {
  return begin < end ? begin + (end - begin) / 2 : -1;
}

// Place i of 1 .. size-1 has as many levels below it as i has trailing zeros, so odd places are leaves. Where
// the tree is not full, a right child would lie beyond the last place; its leftmost descendant that exists
// takes its place.
TreeNode place_node(std::int32_t size, Rank place) {
  TreeNode node;
  if (place == 0) {
    Rank top = 1;
    while (top * 2 < size)
      top *= 2;
    if (size > 1)
      node.children.push_back(top);
    return node;
  }
  const Rank bit = place & -place;
  const Rank up = (place ^ bit) | (bit << 1);
  node.parent = up < size ? up : place ^ bit;
  Rank reach = bit >> 1;
  if (reach == 0)
    return node;
  node.children.push_back(place - reach);
  while (reach > 0 && place + reach >= size)
    reach >>= 1;
  if (reach > 0)
    node.children.push_back(place + reach);
  return node;
}

} // namespace

InorderNode inorder_node(std::int32_t size, Rank root, Rank node) {
  THALWEG_ASSERT(normal, root >= 0 && root < size && node >= 0 && node < size);
  InorderNode found;
  found.end = size;
  Rank at = root;
  while (at != node) {
    found.parent = at;
    if (node < at)
      found.end = at;
    else
      found.begin = at + 1;
    at = middle(found.begin, found.end);
  }
  found.left = middle(found.begin, node);
  found.right = middle(node + 1, found.end);
  return found;
}

std::array<TreeNode, 2> double_tree_node(std::int32_t size, Rank node) {
  THALWEG_ASSERT(normal, node >= 0 && node < size);
  // The second tree numbers the others so that even and odd change roles: backwards where their number is
  // even, else one place further round. Both numberings have an inverse of the same kind.
  const std::int32_t others = size - 1;
  const bool mirrors = others % 2 == 0;
  const auto place_of = [&](Rank rank) {
    return rank == 0 ? 0 : mirrors ? size - rank : rank > 1 ? rank - 1 : others;
  };
  const auto rank_at = [&](Rank place) {
    return place == 0 ? 0 : mirrors ? size - place : place < others ? place + 1 : 1;
  };
  TreeNode second = place_node(size, place_of(node));
  if (second.parent >= 0)
    second.parent = rank_at(second.parent);
  for (Rank& child : second.children)
    child = rank_at(child);
  return {place_node(size, node), second};
}

} // namespace thalweg::topology
