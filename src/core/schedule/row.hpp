// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Calls that follow each other as one schedule.

#include "schedule/schedule.hpp"

namespace thalweg::schedule {

/// The same call `times` times over, each beginning once this rank has done its part of the one before. What
/// ranks do of different calls overlaps where one need not wait for the other, as along a pipeline.
Schedule in_a_row(const Schedule& call, std::int32_t times);

} // namespace thalweg::schedule
