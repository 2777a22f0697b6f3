// SPDX-License-Identifier: BSD-3-Clause
#include "topology/binary_trees.hpp"

namespace thalweg::topology {

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
