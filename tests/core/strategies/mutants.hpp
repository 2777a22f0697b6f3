// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Planted faults: ways in which a person could get a schedule slightly wrong.

#include "schedule/schedule.hpp"

#include <optional>
#include <random>
#include <string_view>

namespace thalweg::strategies {

struct Mutant {
  std::string_view fault;
  Rank rank = 0; ///< where, and at which of its steps
  std::uint32_t step = 0;
  std::vector<schedule::Schedule> schedules;
};

/// The schedules with one fault planted, in one rank's or at both ends of a message, or nothing where the
/// fault drawn does not apply at the step drawn. The schedules must be proven.
std::optional<Mutant> plant_fault(const std::vector<schedule::Schedule>& schedules, std::mt19937_64& random);

} // namespace thalweg::strategies
