// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the library's own collectives are taken to send, as they cannot be looked into.

#include <cstdint>
#include <vector>

#include "engine/plan.hpp"
#include "mpi/call/collective_call.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/observe/traffic_table.hpp"

namespace thalweg::mpi {

// Peers are ranks of the communicator: of the other group, where there is one.
struct ModelTraffic {
  const char* by; // pattern::Site::by
  std::vector<observe::PeerTraffic> peers;
};

// What a plan sends.
std::vector<observe::PeerTraffic> sent_by(const engine::Plan& plan);

// What this rank sends in the call. `bytes` is payload_bytes() of it.
ModelTraffic library_traffic(const CollectiveCall& call, CommunicatorState& communicator,
                             std::uint64_t bytes);

} // namespace thalweg::mpi
