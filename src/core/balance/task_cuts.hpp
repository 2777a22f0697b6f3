// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Tasks of different weights: which of its tasks a rank sends, once a flow of weight says how much.

#include "balance/flow.hpp"

namespace thalweg::balancing {

/// Cuts a rank's row of tasks for its messages: tasks cuts[m] .. cuts[m + 1] - 1 go with message m, and those
/// from the last cut on stay. `weights` are the tasks' own, `amounts` what each message is to weigh, in the
/// order of the flow. A message is off by at most the heaviest task's weight: a task goes where its middle
/// lies. Both are from 0, and the amounts are together at most what the tasks weigh. O(tasks + messages).
std::vector<std::int64_t> task_cuts(std::span<const Tasks> weights, std::span<const Tasks> amounts);

/// The same from the row's end: tasks cuts[m + 1] .. cuts[m] - 1 go with message m, and those before the last
/// cut stay.
std::vector<std::int64_t> task_cuts_from_end(std::span<const double> weights,
                                             std::span<const double> amounts);

} // namespace thalweg::balancing
