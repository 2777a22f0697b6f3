// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "strategies/strategy.hpp"

namespace thalweg::strategies {

/// The ring, in which each rank passes blocks to the next one: P - 1 steps in which a block travels and is
/// summed up on the way until rank r has the sum of block r, and P - 1 more in which the sums travel. Each
/// block is `segments` pieces of the builder's; one segment: a stage a step; several: a pipeline without
/// steps' barriers, each segment moving on as soon as it is there, with `window` of them under way at once:
/// more would fill the queues of the links, and everything else would wait behind them.
class Ring {
public:
  struct Pipeline {
    std::int32_t segments = 1;
    std::int64_t window = 1;
  };

  /// Sums lie in `home`, block 0's first piece at `first`.
  Ring(Builder& builder, const Pipeline& pipeline, schedule::Buffer home, std::int32_t first);

  /// Afterwards this rank's own block is summed up in `result` (its own place at home, or elsewhere).
  void reduce_scatter(schedule::Buffer result, std::int32_t result_first);
  /// Passes the sums on until all are at home. Own sums must lie there.
  void allgather();

private:
  /// Piece `segment` of the block of rank `self - back` in a buffer.
  schedule::BlockList at(schedule::Buffer buffer, std::int32_t first, std::int32_t back,
                         std::int32_t segment) const;
  void begin_step();
  /// What must be over before the next segment is under way, and `after`.
  schedule::After gate(const schedule::After& after) const;
  schedule::StepId sum_up(std::int32_t back, std::int32_t segment, const schedule::BlockList& target,
                          const schedule::After& after);

  Builder& builder_;
  std::int32_t segments_;
  std::size_t window_;
  schedule::Buffer home_;
  std::int32_t first_;
  Rank next_;
  Rank previous_;
  /// For each segment the step after which its latest block is summed up or there, and for each block the
  /// step that sent it.
  std::vector<schedule::StepId> latest_;
  std::vector<schedule::StepId> sent_;
  /// What each segment's way to the next rank and from the previous one took, in their order.
  std::vector<schedule::After> moved_;
};

} // namespace thalweg::strategies
