// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Recursive halving: what a place is still responsible for after each exchange of a reduce-scatter.

#include "topology/recursive_exchange.hpp"
#include "topology/runs.hpp"

namespace thalweg::topology {

/// Numbers begin .. end-1.
struct Interval {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  std::int32_t size() const { return end - begin; }
  bool operator==(const Interval&) const = default;
};

/// Exchanges over neighbors first, pieces cut anew at each: of radix^digits pieces the ones that `place`
/// still has after exchanging over its lowest `done` digits. In the end that is the piece whose number is the
/// place read backwards, so neighboring places combine first (the order of ranks is kept) and yet every part
/// is one interval.
Interval reversed_interval(std::int32_t place, std::int32_t radix, int digits, int done);

/// Exchanges over the furthest first: the places whose ranks' blocks `place` still has after exchanging over
/// its highest `done` of `digits` digits.
Interval leading_interval(std::int32_t place, std::int32_t radix, int digits, int done);

/// The ranks of the places `interval`, and of every place that leaves `residue` when divided by `modulus`.
Runs ranks_of(const Places& places, const Interval& interval);
std::vector<Runs> ranks_of_residue(const Places& places, std::int32_t residue, std::int32_t modulus);

/// Ranks as blocks of powers of two, the largest first (Rabenseifner and Traeff 2004).
struct BinaryBlock {
  Rank begin = 0;
  int digits = 0; ///< size = 2^digits

  std::int32_t size() const { return 1 << digits; }
};
std::vector<BinaryBlock> binary_blocks(std::int32_t ranks);

/// The place in a block of 2^digits that ends with piece `piece` of 2^digits (see reversed_interval).
std::int32_t reversed_place(std::int32_t piece, int digits);

} // namespace thalweg::topology
