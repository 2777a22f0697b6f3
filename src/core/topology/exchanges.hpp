// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Exchanges in rounds as index arithmetic: who meets whom, and what each is still responsible for.

#include "base/assertion.hpp"
#include "base/rank.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::topology {

// Sets of ranks, pieces or blocks written down in few words.

/// `count` runs of `run` neighbors, the runs `stride` apart.
struct Runs {
  std::int32_t first = 0;
  std::int32_t run = 1;
  std::int32_t count = 1;
  std::int32_t stride = 0;

  bool operator==(const Runs&) const = default;
};

/// Ascending, different numbers as few runs: neighbors melt into runs, equal runs at equal distances into
/// one entry.
std::vector<Runs> compressed(std::span<const std::int32_t> ascending);

/// The numbers again, in order.
std::vector<std::int32_t> expanded(std::span<const Runs> runs);

// Dissemination with radix k (Hensgen, Finkel, Manber 1988 for k = 2; Nishtala 2009 for any): in
// round i a rank tells the ranks k^i, 2 k^i, .., (k-1) k^i ahead of it all that it knows, so that it then
// knows of the k^(i+1) ranks up to itself.

/// ceil(log_radix(size)), radix >= 2.
int dissemination_rounds(std::int32_t size, std::int32_t radix);

/// How far ahead those are that a rank tells in that round: the multiples of radix^round below size,
/// ascending.
std::vector<std::int32_t> dissemination_offsets(std::int32_t size, std::int32_t radix, int round);

// Recursive exchange: ranks whose numbers differ in one digit of base `radix` exchange, digit by digit
// (recursive doubling for radix 2; k-nomial or recursive multiplying in general). It needs a power of the
// radix; where there are more ranks, neighboring ranks stand together in one place, and the first of each
// place speaks for it.

/// Ranks dealt in order to places, the first places one rank larger where it does not come out even.
class Places {
public:
  Places(std::int32_t ranks, std::int32_t count)
      : count_(count), size_(ranks / count), larger_(ranks % count) {
    THALWEG_ASSERT(light, 1 <= count && count <= ranks);
  }

  std::int32_t count() const { return count_; }
  /// Places 0 .. larger()-1 have size() + 1 ranks, the others size().
  std::int32_t larger() const { return larger_; }
  std::int32_t size() const { return size_; }

  /// First rank of a place: its speaker. begin(count()) = ranks.
  Rank begin(std::int32_t place) const {
    THALWEG_ASSERT(normal, place >= 0 && place <= count_);
    return place * size_ + (place < larger_ ? place : larger_);
  }
  Rank end(std::int32_t place) const { return begin(place + 1); }
  std::int32_t place_of(Rank rank) const {
    THALWEG_ASSERT(normal, rank >= 0 && rank < begin(count_));
    const std::int32_t in_larger = larger_ * (size_ + 1);
    return rank < in_larger ? rank / (size_ + 1) : larger_ + (rank - in_larger) / size_;
  }

private:
  std::int32_t count_;
  std::int32_t size_;
  std::int32_t larger_;
};

/// The largest power of `radix` that is at most `ranks`.
std::int32_t exchange_places(std::int32_t ranks, std::int32_t radix);

/// The places that differ from `place` only in the digit of weight `weight` (a power of the radix), by
/// ascending digit; `place` itself is among them.
std::vector<std::int32_t> exchange_group(std::int32_t place, std::int32_t radix, std::int32_t weight);

// Recursive halving: what a place is still responsible for after each exchange of a reduce-scatter.

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

// Butterflies whose partners swing from side to side: at distances 1, 1, 3, 5, 11, .. = |1 - (-2)^(e+1)| / 3
// even ranks look one way and odd ranks the other, so that messages stay short on rings and tori.
//
// Swing (De Sensi, Bonato, Saam, Hoefler, NSDI 2024) goes from short to long distances, the Bine butterfly
// (De Sensi et al., SC 2025) also from long to short; both need an even number of ranks.

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
