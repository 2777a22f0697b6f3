// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where blocks are in an all-gather: rank r's is output block r from the start to the end, on every rank.

#include "schedule/block.hpp"
#include "strategies/strategy.hpp"

namespace thalweg::strategies::allgather {

/// The output blocks of `count` ranks from `first` on.
inline schedule::BlockList blocks_of(Rank first, std::int32_t count) {
  return strided(schedule::Buffer::output, first, count, 1, 0);
}

/// All output blocks but one rank's.
inline schedule::BlockList all_but(Rank rank, std::int32_t ranks) {
  return blocks_of(0, rank) + blocks_of(rank + 1, ranks - rank - 1);
}

/// Brings the own block to its place; what follows may send it from there.
inline void append_own(Builder& b) {
  b.copy(schedule::input(0), schedule::output(b.rank()));
  b.round();
}

} // namespace thalweg::strategies::allgather
