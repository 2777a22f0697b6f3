// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Schedules as text for people.

#include "schedule/schedule.hpp"

#include <string>

namespace thalweg::schedule {

/// Block ranges: "input[0..3] scratch[2]"; "output[0..1 x4 by 8]" is four runs of two blocks, 8 blocks apart.
std::string print_blocks(std::span<const BlockRange> ranges);

/// One step: "receive output[2] from 5".
std::string print_step(const Schedule& schedule, const Step& step);

/// A rank's schedule, stage by stage, a line for each step.
std::string print(const Schedule& schedule);

} // namespace thalweg::schedule
