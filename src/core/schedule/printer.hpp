// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Schedules as text for people, and as pictures in Graphviz's language.

#include "schedule/schedule.hpp"

#include <string>

namespace thalweg::schedule {

/// Block ranges: "input[0..3] scratch[2]"; "output[0..1 x4 by 8]" is four runs of two blocks, 8 blocks apart.
std::string print_blocks(std::span<const BlockRange> ranges);

/// One step: "receive output[2] from 5".
std::string print_step(const Schedule& schedule, const Step& step);

/// A rank's schedule, stage by stage, a line for each step.
std::string print(const Schedule& schedule);

/// All ranks' schedules: a box around each rank's steps, a blue arrow for each message, a gray one from stage
/// to stage and dashed ones from named predecessors. The schedules are given in rank order and must match.
std::string draw(std::span<const Schedule> schedules);

} // namespace thalweg::schedule
