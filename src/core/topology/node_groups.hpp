// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Ranks grouped by the node they are on: the ground on which two-level strategies stand.

#include "base/rank.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::topology {

/// Nodes stand in the order in which ranks first appear on them, so a node's index differs from its number.
struct NodeGroups {
  /// The ranks of each node, ascending.
  std::vector<std::vector<Rank>> members = {};
  /// Index of each rank's node.
  std::vector<std::int32_t> group_of = {};
  /// The rank that speaks for each node: its first, or the root on the root's node.
  std::vector<Rank> leaders = {};

  std::int32_t count() const { return static_cast<std::int32_t>(members.size()); }
  std::int32_t group(Rank rank) const { return group_of[static_cast<std::size_t>(rank)]; }
  const std::vector<Rank>& members_with(Rank rank) const {
    return members[static_cast<std::size_t>(group(rank))];
  }
  Rank leader(Rank rank) const { return leaders[static_cast<std::size_t>(group(rank))]; }
  bool is_leader(Rank rank) const { return leader(rank) == rank; }
  /// Place of the rank among its node's members.
  std::int32_t place(Rank rank) const;
  /// Are each node's ranks neighbors? Then combining node by node keeps the order of ranks.
  bool contiguous() const;
};

/// Groups `ranks` ranks by `nodes` (each rank's node number, from 0, any order; null: all on one node). With
/// a root given, it leads its node. O(ranks).
NodeGroups node_groups(std::int32_t ranks, const std::vector<std::int32_t>* nodes, Rank root = -1);

/// Each rank's socket numbered across nodes, from each one's node and its number there (-1: the rank may move
/// from socket to socket; such ranks of a node count as on one more). Empty where no node has ranks on
/// several, or where one of the two is not known.
std::vector<std::int32_t> sockets_across_nodes(std::span<const std::int32_t> nodes,
                                               std::span<const std::int32_t> sockets);

} // namespace thalweg::topology
