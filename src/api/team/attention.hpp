// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Who takes in what other nodes' ranks put here, while the program is in no call of a team: its MPI calls
// under `thalweg run`, and a thread of its own with THALWEG_PROGRESS_THREAD=1 where the MPI library allows
// that (MPI_THREAD_MULTIPLE).

#include "job/placement.hpp"

namespace thalweg::teams {

/// A team of the process has memory that some ranks do not reach; `placement` is its own. Does anybody take
/// in something then, while the program waits in MPI's calls?
bool begin_attention(const job::Placement& placement);
/// It has no more.
void end_attention();

} // namespace thalweg::teams
