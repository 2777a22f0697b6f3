// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How an operation's buffers are cut into blocks.
//
// A buffer is a row of *units*, and a strategy may cut each unit into `pieces`; block = unit * pieces +
// piece.
//
//   operation            input units      output units          canonical block of a unit's piece k
//   barrier              -                -
//   broadcast            -                1 (the root's is given)   k
//   reduce               1                1 (root)              k
//   allreduce scan exscan 1               1                     k
//   gather               1                P (root)              rank * pieces + k
//   scatter              P (root)         1                     rank * pieces + k
//   allgather            1                P                     rank * pieces + k
//   alltoall             P                P                     (source * P + destination) * pieces + k
//   reduce_scatter       P                1                     rank * pieces + k
//   neighbor_allgather   1                sources               as alltoall, per edge from the sending rank
//   neighbor_alltoall    destinations     sources               unknown to others
//
// Two blocks with the same canonical number have the same size on all ranks, whatever the counts. Scratch
// block s is as large as canonical block s mod B, B the number of canonical blocks (for all-to-all and
// neighbors: as large as the largest piece).

#include "schedule/problem.hpp"

namespace thalweg::schedule {

/// Units of the rank's buffer; 0 where it has none (an output off the root).
std::int32_t input_units(const Problem& problem, Rank rank);
std::int32_t output_units(const Problem& problem, Rank rank);

/// Does the operation deal with ranks' separate units whose sizes only their owner and their receiver know
/// (gather, scatter, alltoall and the neighborhood operations)?
bool has_private_sizes(Operation operation);

/// Number of canonical blocks by which scratch is measured: pieces for vector operations, ranks * pieces
/// where units belong to ranks.
std::int64_t canonical_blocks(const Problem& problem, std::int32_t pieces);

/// Canonical number of a block on `rank`, or -1 where its size is nobody else's business (neighbors,
/// all-to-all scratch).
std::int64_t canonical_block(const Problem& problem, Rank rank, std::int32_t pieces, Buffer buffer,
                             std::int32_t block);

/// For in-place problems: the output block that is the same memory as this input block, or -1.
std::int32_t aliased_output(const Problem& problem, Rank rank, std::int32_t pieces, std::int32_t input_block);

} // namespace thalweg::schedule
