// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/schedule.hpp"

#include <string>

namespace thalweg::schedule {

/// Checks what one rank's schedule can get wrong alone: blocks outside their buffers, writes to user input,
/// messages to itself, predecessors that are not earlier steps of the same stage, and unordered steps of a
/// stage that touch the same block (one of them writing). Adds a line for each fault, at most `limit` in all.
void find_local_hazards(const Problem& problem, const Schedule& schedule, std::size_t limit,
                        std::vector<std::string>& faults);

/// A printable name for a step: "rank 3 step 5 (receive from 2)".
std::string describe(const Schedule& schedule, std::uint32_t step);

} // namespace thalweg::schedule
