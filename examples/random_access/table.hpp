// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/blocks.hpp"
#include "common/mpi_session.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::examples::random_access {

using Word = std::uint64_t;

/// The word after `word` in HPCC's sequence: x^64 + x^2 + x + 1 over GF(2).
constexpr Word next(Word word) {
  return (word << 1U) ^ (static_cast<std::int64_t>(word) < 0 ? 7U : 0U);
}

/// The `n`-th word of the sequence, which begins with 1 (HPCC_starts of HPCC 1.5).
Word starts(std::int64_t n);

/// Which rank holds a word of the table. Tables are divided as evenly as can be, larger parts first.
class Owners {
public:
  Owners(int bits, int ranks);
  int of(Word update) const {
    auto const index = static_cast<std::int64_t>(update & mask_);
    if (shift_ >= 0)
      return static_cast<int>(index >> shift_);
    return static_cast<int>(part_holding(static_cast<std::int64_t>(mask_) + 1, ranks_, index));
  }

private:
  Word mask_;
  int ranks_;
  int shift_; ///< where ranks are a power of two, -1 elsewhere: division takes long
};

/// A rank's part of the table of 2^bits words. Word i is i in the beginning.
class Table {
public:
  Table(int bits, Group const& world);

  std::int64_t size() const { return static_cast<std::int64_t>(mask_) + 1; }
  void apply(Word update) { words_[(update & mask_) - first_] ^= update; }

  /// This rank's part of `updates`, which are divided as the table is.
  Range part_of_updates(std::int64_t updates) const;
  /// Collective. It depends on each word and its place, not on how the table is divided.
  Word hash() const;
  /// Collective. Does all updates again, without communication, and gives how many words are not what they
  /// were in the beginning. (Sending them again would hide what gets lost in the same way both times.)
  std::int64_t undo(std::int64_t updates);

private:
  Group world_;
  Word mask_;
  Word first_;
  std::vector<Word> words_;
};

} // namespace thalweg::examples::random_access
