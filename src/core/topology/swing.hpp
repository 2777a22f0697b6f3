// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Butterflies whose partners swing from side to side: at distances 1, 1, 3, 5, 11, .. = |1 - (-2)^(e+1)| / 3
// even ranks look one way and odd ranks the other, so that messages stay short on rings and tori.
//
// Swing (De Sensi, Bonato, Saam, Hoefler, NSDI 2024) goes from short to long distances, the Bine butterfly
// (De Sensi et al., SC 2025) also from long to short; both need an even number of ranks.

#include "base/rank.hpp"
#include "topology/runs.hpp"

namespace thalweg::topology {

enum class SwingOrder { short_first, long_first };

/// Exchanges that reach every rank from every rank: ceil(log2 ranks).
int swing_steps(std::int32_t ranks);

/// The partner in step `step`, 0 .. swing_steps-1; symmetric. `ranks` is even.
Rank swing_partner(Rank rank, int step, std::int32_t ranks, SwingOrder order);

/// For powers of two: the blocks that `rank` is still responsible for after `done` steps of a reduce-scatter,
/// in an order that depends on the set alone: at most two entries (two strided rows when short distances come
/// first, an interval of ranks that may go round when long ones do).
std::vector<Runs> swing_blocks(Rank rank, int done, std::int32_t ranks, SwingOrder order);

/// For powers of two and short distances first: a numbering of the ranks in which the blocks that a rank is
/// responsible for are always an interval: after `done` steps the 2^(steps - done) numbers that begin with
/// the first `done` bits of the rank's number.
std::int32_t swing_number(Rank rank, std::int32_t ranks);

/// For any even number of ranks: the step in which each rank passes its sum of an owner's block on, by its
/// distance (rank - owner) mod ranks from an even owner, (owner - rank) mod ranks from an odd one; -1 at
/// distance 0. Every rank's contribution reaches the owner once: a rank passes a block on in the last step in
/// which its partner can still use it.
std::vector<std::int8_t> swing_departures(std::int32_t ranks, SwingOrder order);

} // namespace thalweg::topology
