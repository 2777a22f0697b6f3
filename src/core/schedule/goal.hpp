// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Schedules for other people's simulators: GOAL (Group Operation Assembly Language; Hoefler, Siebert,
// Lumsdaine 2009), as LogGOPSim's txt2bin and its kin read it.

#include "schedule/schedule.hpp"

#include <string>

namespace thalweg::schedule {

/// What a schedule leaves open and a simulator must know.
struct GoalSizes {
  std::int64_t unit_bytes = 1024;    ///< of each unit of the buffers, cut into pieces as evenly as possible
  double copy_ns_per_byte = 0.1;     ///< local copies
  double combine_ns_per_byte = 0.25; ///< the reduction operator, reading two operands and writing one
};

/// The bytes of a message; a token is one of one byte, for GOAL knows none of no bytes.
std::int64_t message_bytes(const Schedule& schedule, const Step& step, const GoalSizes& sizes);
/// Nanoseconds that a copy, or the combining of a step, takes.
std::int64_t local_ticks(const Schedule& schedule, const Step& step, const GoalSizes& sizes);

/// All ranks' schedules, given in rank order, as GOAL text. Every message between two ranks has a tag of its
/// own, so that it meets its receive whatever the simulator's timing (goal_operations.hpp).
std::string export_goal(std::span<const Schedule> schedules, const GoalSizes& sizes);

} // namespace thalweg::schedule
