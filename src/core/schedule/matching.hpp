// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/schedule.hpp"

#include <string>

namespace thalweg::schedule {

/// For each rank and step the partner's step: the receive that a send meets, or the send. Local steps hold 0.
using Matching = std::vector<std::vector<std::uint32_t>>;

/// Pairs the n-th send from a to b on a channel with the n-th receive from a at b. Adds a fault for each pair
/// of ranks and channel whose numbers of sends and receives differ, and for tokens that meet messages; at
/// most `limit` in all.
Matching match_messages(std::span<const Schedule> schedules, std::size_t limit,
                        std::vector<std::string>& faults);

} // namespace thalweg::schedule
