// SPDX-License-Identifier: BSD-3-Clause
#include "topology/tree.hpp"

#include "base/arithmetic.hpp"
#include "topology/bine.hpp"
#include "topology/recursive_exchange.hpp"

#include <algorithm>

namespace thalweg::topology {

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

} // namespace thalweg::topology
