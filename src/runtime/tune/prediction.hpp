// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How a candidate is predicted: from all ranks' schedules where that is quick or nothing else will do, from
// one rank that stands for all where they are alike, from some ranks where all would be too many.

#include "model/predict.hpp"
#include "strategies/index.hpp"
#include "tune/case.hpp"

#include <limits>

namespace thalweg::tune {

/// Up to so many steps of all ranks together all are simulated.
inline constexpr std::size_t few_steps = std::size_t{1} << 17;

/// What a strategy is asked for, with these parameters.
strategies::Problem problem_of(const Case& wanted, const schedule::Parameters& parameters);

/// Where most of its messages go: within the node that all ranks are known to be on, else between nodes.
machine::Level level_of(const Case& wanted);

/// Some ranks' schedules, or all of few ranks, of all calls in the row: they tell what all are like.
struct ScheduleSample {
  std::vector<schedule::Schedule> schedules;
  std::size_t steps = 0; ///< of all ranks together, as these ranks let expect
};
ScheduleSample sample(const strategies::Strategy& strategy, const strategies::Problem& problem,
                      const Case& wanted);

/// From its sample. Does not look closer at what surely takes longer than `enough_seconds`: the result is a
/// bound then.
model::Prediction predict(const strategies::Strategy& strategy, const strategies::Problem& problem,
                          ScheduleSample known, const Case& wanted, const machine::Machine& machine,
                          double enough_seconds = std::numeric_limits<double>::infinity());

} // namespace thalweg::tune
