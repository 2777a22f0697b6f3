// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Calls that are followed one by one, for the trace of calls and for the timeline: whoever makes calls says
// here what becomes of them. All but the span itself is called only while process.observation.traces holds.

#include "mpi/call/call_event.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/observe/call_table.hpp"
#include "mpi/state/process_state.hpp"

#include <cstdint>

namespace thalweg::mpi {

/// Begins: this process has joined the world.
void begin_following();

/// This thread enters a call, and leaves it.
void follow_entry();
void follow_exit();

/// The call is that of the row, and has so many bytes.
void follow_call(observe::CallRow& row, std::uint64_t bytes);
/// The same of a collective.
void follow_collective(observe::CallRow& row, CommunicatorState& communicator, std::uint64_t bytes);
/// It has ended without an error.
void follow_ended(const CallEvent& event);

void follow_request_started(MPI_Request request);
void follow_request_freed(MPI_Request request);

/// From the entry to a call until its exit.
class FollowedSpan {
public:
  FollowedSpan() : is_followed_(process.observation.traces && process.observation.is_on) {
    if (is_followed_) [[unlikely]]
      follow_entry();
  }
  ~FollowedSpan() {
    if (is_followed_) [[unlikely]]
      follow_exit();
  }
  FollowedSpan(const FollowedSpan&) = delete;
  FollowedSpan& operator=(const FollowedSpan&) = delete;

private:
  bool is_followed_;
};

} // namespace thalweg::mpi
