// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Schedules as pictures, in Graphviz's language.

#include "schedule/schedule.hpp"

#include <string>

namespace thalweg::schedule {

/// All ranks' schedules: a box around each rank's steps, a blue arrow for each message, a gray one from stage
/// to stage and dashed ones from named predecessors. The schedules are given in rank order and must match.
std::string draw(std::span<const Schedule> schedules);

} // namespace thalweg::schedule
