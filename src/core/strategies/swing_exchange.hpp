// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "strategies/exchange.hpp"
#include "topology/swing.hpp"

namespace thalweg::strategies {

/// What the blocks of a reduce-scatter are called.
enum class BlockNames {
  ranks,      ///< block r is rank r's, as the operation reduce_scatter wants it
  contiguous, ///< parts of a vector may be numbered so that messages are intervals, where that is possible
};

/// A rank's steps of a reduce-scatter over swinging partners. Powers of two: log2 P steps. Other even
/// numbers: a block goes with the last step in which it is still of use. Odd numbers: the last rank exchanges
/// its block and its operands directly with everybody, the others do the rest.
std::vector<ExchangeStep> swing_steps(Rank rank, std::int32_t ranks, topology::SwingOrder order,
                                      BlockNames names);

/// The block that the rank ends with.
std::int32_t swing_block(Rank rank, std::int32_t ranks, topology::SwingOrder order, BlockNames names);

/// Do the first steps touch only some of the blocks that a rank keeps? Then its operands must be copied to
/// the sum's home before.
bool swing_needs_copy(Rank rank, std::int32_t ranks);

/// All-reduce: the steps as reduce-scatter and backwards. Pieces: one a rank.
void append_swing_allreduce(Builder& builder, topology::SwingOrder order);
/// Reduce-scatter of units.
void append_swing_reduce_scatter(Builder& builder, topology::SwingOrder order);

} // namespace thalweg::strategies
