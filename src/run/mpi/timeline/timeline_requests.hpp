// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages and requests in the timeline. A request has a number from its start until its end; a persistent
// one has a new one with each start.

#include "mpi/call/call_event.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/timeline/event_memory.hpp"

#include <cstdint>

namespace thalweg::mpi::timeline {

/// Messages of a call that has ended, whose event is `call`; `communicator_number` is their communicator's.
void note_messages(const CommunicatorState& communicator, std::uint32_t communicator_number,
                   const MessageCall& message, Event& call);

/// A collective began with a request; `call` is its event.
void note_request(MPI_Request request, bool is_persistent, Event& call);

void request_started(MPI_Request request);
void request_freed(MPI_Request request);
/// The request is over; `status` is of a receive, or null.
void request_ended(MPI_Request request, const MPI_Status* status);

} // namespace thalweg::mpi::timeline
