#pragma once

// Schedules for people: as text for one rank, as a DOT picture (Graphviz) for all.

#include "schedule/schedule.hpp"

#include <string>

namespace thalweg::schedule {

/// Block ranges as text: "input[0..3] scratch[2]"; "output[0..1 x4 by 8]" is four runs of two blocks, 8 blocks apart.
std::string print_blocks(std::span<const BlockRange> ranges);

/// A rank's schedule, stage by stage, a line for each step.
std::string print(const Schedule& schedule);

/// All ranks' schedules in Graphviz's language: a column for each rank, a box for each step, an arrow for each message and
/// dashed ones for what a step waits for. The schedules are given in rank order and must match.
std::string draw(std::span<const Schedule> schedules);

} // namespace thalweg::schedule
