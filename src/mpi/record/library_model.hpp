#pragma once

// What the library's own collectives are taken to send, as they cannot be looked into.

#include <cstdint>
#include <vector>

#include "engine/plan.hpp"
#include "mpi/call/collective_call.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/observe/traffic_table.hpp"

namespace thalweg::mpi {

// Peers are ranks of the communicator.
struct ModelTraffic {
  const char* by; // pattern::Site::by
  std::vector<observe::PeerTraffic> peers;
};

// What a plan sends.
std::vector<observe::PeerTraffic> sent_by(const engine::Plan& plan);

// Do the call's arrays of counts say what goes to whom?
bool has_counts_by_peer(Operation operation);

// Bytes of a unit of the operation's buffers (schedule/buffers.hpp), of unequal ones the mean; `bytes` is
// payload_bytes() of the call.
std::uint64_t unit_bytes(const CollectiveCall& call, const CommunicatorState& communicator,
                         std::uint64_t bytes);

// Of calls with a block for each rank, or neighbor: bytes of that one's.
std::uint64_t bytes_to(const CollectiveCall& call, std::size_t rank);
std::uint64_t bytes_from(const CollectiveCall& call, std::size_t rank);

// What this rank sends in the call, which is on no intercommunicator. `bytes` is payload_bytes() of it.
ModelTraffic library_traffic(const CollectiveCall& call, CommunicatorState& communicator,
                             std::uint64_t bytes);

} // namespace thalweg::mpi
