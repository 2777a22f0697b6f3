// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/call/collective_call.hpp"
#include "mpi/comm/communicators.hpp"
#include "pattern/traffic.hpp"

namespace thalweg::mpi {

// What this rank hands to a call whose sizes are its own business, to other ranks.
pattern::Traffic traffic_of(const CollectiveCall& call, CommunicatorState& communicator);

} // namespace thalweg::mpi
