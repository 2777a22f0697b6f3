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

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"
#include "schedule/block.hpp"
#include "schedule/problem.hpp"

#include <span>

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

// The bytes of blocks, once sizes are known.

/// How much memory block ranges are.
struct Extent {
  std::int64_t bytes = 0;
  std::int64_t places = 0; ///< runs of memory
};

/// How large blocks are where all units are of one size, cut into pieces as evenly as possible.
class Sizes {
public:
  Sizes(std::int32_t pieces, std::int64_t unit_bytes) : pieces_(pieces), unit_bytes_(unit_bytes) {
    THALWEG_ASSERT(light, pieces >= 1 && unit_bytes >= 0);
  }

  Extent of(std::span<const BlockRange> ranges) const {
    Extent extent;
    const BlockRange* last = nullptr;
    for (const BlockRange& range : ranges) {
      const bool in_a_row = range.count == 1 || range.stride == range.run;
      const bool continues = last != nullptr && last->buffer == range.buffer && last->count == 1 &&
                             last->first + last->run == range.first;
      extent.places += in_a_row ? (continues ? 0 : 1) : range.count;
      if (pieces_ == 1)
        extent.bytes += std::int64_t{range.count} * range.run * unit_bytes_;
      for (std::int32_t i = 0; pieces_ > 1 && i < range.count; ++i)
        extent.bytes +=
            begin_of(range.first + i * range.stride + range.run) - begin_of(range.first + i * range.stride);
      last = &range;
    }
    return extent;
  }

private:
  /// Bytes of the blocks below this one, as if all units lay in a row.
  std::int64_t begin_of(std::int64_t block) const {
    return block / pieces_ * unit_bytes_ + part_begin(unit_bytes_, pieces_, block % pieces_);
  }

  std::int32_t pieces_;
  std::int64_t unit_bytes_;
};

} // namespace thalweg::schedule
