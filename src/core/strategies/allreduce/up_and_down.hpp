// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "strategies/strategy.hpp"
#include "topology/tree.hpp"

#include <vector>

namespace thalweg::strategies::allreduce {

/// One tree of an all-reduce: sums go up piece by piece and results come down behind them, combined in the
/// output. For operators that commute. A rank has at most `window` pieces under way. Both ends of an edge
/// append the same pieces and directions in the same order.
class UpAndDown {
public:
  UpAndDown(Builder& builder, topology::TreeNode node);

  void up(std::int32_t piece);
  void down(std::int32_t piece);

private:
  Builder& builder_;
  topology::TreeNode node_;
  std::vector<schedule::StepId> under_way_; ///< last steps of the latest pieces, a ring
};

} // namespace thalweg::strategies::allreduce
