// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a traced program is replayed with.

#include "simulate/goal_reader.hpp"
#include "strategies/selection.hpp"

#include <vector>

namespace thalweg::simulate {

struct ReplayOptions {
  /// Says what the collectives' messages, copies and sums cost; null: LogGOPS' parameters do.
  const machine::Machine* machine = nullptr;
  LogGops loggops = {};
  /// What a message of the program's own costs.
  CostBetween cost;
  /// The node of each rank, numbered from 0; empty: all on one.
  std::vector<std::int32_t> nodes = {};
  /// Strategies for collectives; where there is none, what ran in the recorded run, and for what the library
  /// ran by itself a strategy that is like it (strategies/likely.hpp).
  std::vector<strategies::Selection> selections = {};
  double computation_scale = 1; ///< times as long
};

} // namespace thalweg::simulate
