// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/schedule.hpp"

namespace thalweg::schedule {

/// The sends of a stage that carry the same bytes to several ranks, as lists of step numbers: those of the
/// same blocks that wait for the same steps. Whatever writes the blocks between two of them would have to
/// come after the one and before the other. Lists have two or more steps, those in their order.
std::vector<std::vector<std::uint32_t>> find_multicasts(const Schedule& schedule, std::size_t stage);

} // namespace thalweg::schedule
