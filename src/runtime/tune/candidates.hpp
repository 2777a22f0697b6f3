// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The candidates for a problem: every strategy with the parameters that are worth a trial, in the order in
// which the model expects them to be fast (Nishtala 2009: the model need only rank well, the
// search tries in its order).

#include "model/closed_forms.hpp"
#include "model/predict.hpp"
#include "schedule/schedule.hpp"
#include "tune/prediction.hpp"

#include <compare>
#include <span>

namespace thalweg::tune {

/// Which candidates do the same: equal schedules have equal hashes. 128 bits, so that two of a million
/// different schedules meet with a probability below 2^-88.
struct ScheduleHash {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  auto operator<=>(const ScheduleHash&) const = default;
};

/// Of what the schedules do, in their order.
ScheduleHash hash(std::span<const schedule::Schedule> schedules);

struct Candidate {
  strategies::Scheduled scheduled;
  std::string text = {}; ///< it as behind "=" in a selection
  model::Prediction prediction = {};
};

/// With which parameters strategies are candidates: their default ones, or all that are worth a trial.
enum class Breadth : std::uint8_t { defaults, all };

/// Without those whose schedules another candidate has too; fastest first, nearer in the index first among
/// equals. With long schedules, those whose bound puts them far behind the best are not predicted further:
/// prediction.is_bound says so. Works on all cores; the result does not depend on how many there are.
std::vector<Candidate> candidates(const Case& wanted, const machine::Machine& machine,
                                  Breadth breadth = Breadth::all);

/// The prediction for one strategy. Throws Error where the strategy refuses the problem.
model::Prediction predict(const strategies::Scheduled& scheduled, const Case& wanted,
                          const machine::Machine& machine);

/// The papers' equation for one strategy (model/closed_forms.hpp), between nodes or, with all ranks on one
/// node, within it; nothing where there is none.
std::optional<model::ClosedForm> closed_form(const strategies::Scheduled& scheduled, const Case& wanted,
                                             const machine::Machine& machine);

/// The values of a parameter that are worth a trial for messages of that size.
std::vector<std::int64_t> values_to_try(const strategies::Parameter& parameter, const Case& wanted);

} // namespace thalweg::tune
