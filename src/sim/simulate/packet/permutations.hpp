// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Who sends to whom: the permutations by which networks are measured. And whether one is free of contention
// on a tree.

#include "simulate/packet/fabric.hpp"
#include "topology/grid.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace thalweg::simulate::packet {

/// The node that each node sends to; of nodes that send to themselves nothing crosses the network. Empty for
/// "uniform", where each packet goes to any other node.
///
///   transpose      row and column change places; the nodes are a square
///   bit_reversal   the number's bits the other way round (powers of two)
///   bit_complement node i to n-1-i
///   shuffle        the number's bits rotated by one to the left (powers of two)
///   tornado        in each dimension of `grid` ceil(k/2) - 1 on, of k: nearly half around (Dally and Towles,
///                  Principles and Practices of Interconnection Networks, table 3.2); else all nodes are a
///                  ring
///   shift:K        i + K, around the end: a step of a cyclic exchange
///   exchange:K     i xor K: a step of a prefix exchange; who has no partner sends nothing
///   permutation    any, by the seed
///
/// Throws Error for others, and where the number of nodes does not fit.
std::vector<std::uint32_t> parse_destinations(std::string_view name, std::uint32_t nodes, std::uint64_t seed,
                                              const topology::Grid* grid = nullptr);

struct Contention {
  /// What the most loaded channel carries where routes go up by the destination's number (UpByDestination).
  std::uint32_t by_destination = 0;
  /// Is there none, whichever ways up the switches choose? For that, all that enters a subtree has to come
  /// from one other subtree of its level: what comes from two may come down by the same channel. And a switch
  /// needs as many parents as it has children that send beyond it.
  bool is_free_any_way = true;
  /// Level and subtree where that fails first, from below; -1 where nothing does.
  std::int32_t level = -1;
  std::int64_t subtree = -1;
};

/// `destinations` of each node; who sends to itself sends nothing. Throws Error where the network is no tree,
/// or two nodes send to one. O(nodes * levels).
Contention find_contention(const Fabric& fabric, std::span<const std::uint32_t> destinations);

} // namespace thalweg::simulate::packet
