// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The library's nonblocking counterparts of blocking collectives, made when a call must not wait inside of
// the library.

#include "mpi/call/collective_call.hpp"
#include "mpi/comm/communicators.hpp"

namespace thalweg::mpi {

/// Makes the call through its counterpart and waits for it here. The same on all ranks.
int call_by_counterpart(const CollectiveCall& call);

/// Has the call a counterpart that the library does right? Libraries have defects in nonblocking forms that
/// the blocking ones do not have; those calls stay blocking. The same on all ranks.
bool has_sound_counterpart(const CollectiveCall& call, CommunicatorState& communicator);

} // namespace thalweg::mpi
