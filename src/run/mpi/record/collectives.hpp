// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What collectives send, for the recorded pattern. A call that our engine ran counts the messages of its
// schedule. What the library ran cannot be looked into: blocks that have one sender and one receiver count as
// if sent straight ("direct"), and other calls as a strategy of ours would send them ("like:<strategy>").

#include "engine/plan.hpp"
#include "mpi/call/collective_call.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/observe/call_table.hpp"
#include "mpi/observe/traffic_table.hpp"

#include <cstdint>

namespace thalweg::mpi {

/// Counts a call that has been made: by `plan` under the choice of that number, or by the library where it is
/// null. Where repetitions send the same, gives what counts them; else null, and each must come here.
std::uint64_t* record_collective(const CollectiveCall& call, CommunicatorState& communicator,
                                 const observe::CallRow& row, const engine::Plan* plan, std::int64_t choice);

/// Adds the calls counted so far to this thread's traffic table. Once, when nothing is recorded any more.
void add_counted_collectives();

} // namespace thalweg::mpi
