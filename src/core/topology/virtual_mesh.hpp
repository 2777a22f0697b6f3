// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Virtual meshes over ranks 0 .. P-1, with holes (Kumar 2005, sections 3.1.1 and 3.1.2), of any dimensions.
//
//     0  1  2  3     A 4 x 4 mesh of 14 ranks. Messages go from their source to their destination in one
//     4  5  6  7     phase a dimension: phase t corrects coordinate t, first along rows, last between planes.
//     8  9 10 11     Holes lie in the last plane only. Who would hand a message to a hole hands it to a rank
//    12 13  .  .     in an inner plane, which one depends on his own coordinate, so that the role is spread
//                    evenly: 12 serves columns 2 and 3 through ranks 2 and 3, 13 through 6 and 7.

#include "base/rank.hpp"

#include <span>
#include <vector>

namespace thalweg::topology {

class VirtualMesh {
public:
  /// The mesh of at most `dimensions` dimensions whose sides are as equal as they can be: coordinate 0 varies
  /// fastest, each side is the rounded-up root of what the sides before it leave to be covered. Sides of 1
  /// are left out.
  VirtualMesh(std::int32_t ranks, std::int32_t dimensions);
  /// The mesh with these sides. All but the last plane have to be full: the last side is the smallest that
  /// holds all ranks, and the others are at least 2 where there are several.
  VirtualMesh(std::int32_t ranks, std::span<const std::int32_t> sides);

  std::int32_t ranks() const { return ranks_; }
  std::int32_t dimensions() const { return static_cast<std::int32_t>(sides_.size()); }
  std::int32_t side(std::int32_t dimension) const { return sides_[static_cast<std::size_t>(dimension)]; }
  std::int32_t coordinate(Rank rank, std::int32_t dimension) const;

  /// Whom `holder` hands messages to in phase `dimension` that are for ranks with that `coordinate` there, or
  /// -1 where no rank has it behind the holder's coordinates before. Never the holder itself: `coordinate`
  /// must not be his own.
  Rank towards(Rank holder, std::int32_t dimension, std::int32_t coordinate) const;
  /// The ranks that towards() leads to from `rank` in that phase, beginning behind his own place.
  std::vector<Rank> receivers(Rank rank, std::int32_t dimension) const;
  /// The ranks whose receivers() hold `rank`, in the order in which their messages are laid out.
  std::vector<Rank> senders(Rank rank, std::int32_t dimension) const;

  /// Whose messages `rank` holds before phase `phase`: himself, then for each earlier phase what its senders
  /// held.
  std::vector<Rank> sources(Rank rank, std::int32_t phase) const;

  /// The ranks that agree with `rank` in the first `fixed` coordinates, sorted by coordinate `fixed`, then
  /// the next ..
  std::vector<Rank> agreeing(Rank rank, std::int32_t fixed) const;
  /// How many those are.
  std::int32_t count_agreeing(Rank rank, std::int32_t fixed) const;
  /// Where in agreeing(rank, fixed) those stand that agree with `other` in `agreed` >= fixed coordinates:
  /// they are neighbors there, this is the first one's place.
  std::int32_t place_among(Rank other, std::int32_t fixed, std::int32_t agreed) const;

private:
  void set_strides();
  void append_sources(Rank rank, std::int32_t phase, std::vector<Rank>& found) const;
  std::int32_t count_cells(std::int64_t first_cell, std::int32_t fixed) const;

  std::int32_t ranks_;
  std::vector<std::int32_t> sides_;
  std::vector<std::int64_t>
      strides_; ///< cells from one coordinate to the next; one entry more than dimensions
};

} // namespace thalweg::topology
