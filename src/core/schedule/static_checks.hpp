// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What is wrong with schedules before anything is executed: in one rank's alone, and of messages that meet
// nothing.

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

/// For each rank and step the partner's step: the receive that a send meets, or the send. Local steps hold 0.
using Matching = std::vector<std::vector<std::uint32_t>>;

/// Pairs the n-th send from a to b on a channel with the n-th receive from a at b. Adds a fault for each pair
/// of ranks and channel whose numbers of sends and receives differ, and for tokens that meet messages; at
/// most `limit` in all.
Matching match_messages(std::span<const Schedule> schedules, std::size_t limit,
                        std::vector<std::string>& faults);

} // namespace thalweg::schedule
