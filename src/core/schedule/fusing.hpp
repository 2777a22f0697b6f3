// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Fewer passes over memory: steps that combine what another one has just moved become one with it.

#include "schedule/schedule.hpp"

namespace thalweg::schedule {

/// Where a block is received and one's own then combined into it, or one's own is copied and what comes then
/// combined into that, and nothing else waits for the first of the two, the message is combined with one's
/// own as it arrives (`receive_combine` with a source). Strategies need not know.
void fuse_combinations(Schedule& schedule);

} // namespace thalweg::schedule
