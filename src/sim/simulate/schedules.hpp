// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Programs of strategies: every rank's schedule, in GOAL's form (schedule/goal_operations.hpp), with costs.

#include "model/scenario.hpp"
#include "schedule/goal.hpp"
#include "simulate/program.hpp"
#include "strategies/sample.hpp"

namespace thalweg::simulate {

/// How a strategy's program came about.
struct StrategyProgram {
  Program program;
  /// Of a folded program (Program::folded), how many ranks' schedules were looked at and found alike; else 0.
  std::uint32_t looked_at = 0;
};

/// From how many operations on only ranks that differ are simulated, if there is a way.
inline constexpr std::uint64_t folding_begins = std::uint64_t{1} << 24;

/// With LogGOPS' parameters for messages, and copying and combining at the rates of an exported text: the
/// same operations as export_goal() writes. Throws Error where the program is too large.
StrategyProgram program_of(const strategies::Sample& sample, const schedule::GoalSizes& sizes,
                           const LogGops& parameters, std::uint64_t folds_from = folding_begins);

/// With a machine's figures, as the model takes them for its predictions (model/step_costs.hpp), in which a
/// rank has a core of its own. `unit_bytes` is of a unit of the buffers.
StrategyProgram program_of(const strategies::Sample& sample, std::int64_t unit_bytes,
                           const machine::Machine& machine, std::uint64_t folds_from = folding_begins);

} // namespace thalweg::simulate
