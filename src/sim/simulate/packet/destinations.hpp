// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Who sends to whom: the permutations by which networks are measured.

#include "topology/grid.hpp"

#include <cstdint>
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

} // namespace thalweg::simulate::packet
