// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Blocking calls as loops that look and give way: to advance our own operations in flight, and to yield where
// the library's progress cannot (library_progress.hpp).

#include "mpi/abi/looks.hpp"
#include "mpi/observe/ticks.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/wait/wait_mode.hpp"

#include <atomic>

namespace thalweg::mpi {

/// What goes on in the background: our own operations in flight, groups on network devices, and the process's
/// streams. All progress whenever the program makes an MPI call, and while it waits in one.
inline bool has_background_work() {
  return process.background.work.load(std::memory_order_acquire) > 0;
}

inline bool has_only_executions() {
  return process.background.work.load(std::memory_order_acquire) ==
         process.background.executions.load(std::memory_order_acquire);
}

inline bool progress_executions(AdvancedFrom place = AdvancedFrom::outside) {
  return process.background.executions.load(std::memory_order_acquire) > 0 &&
         process.background.advance_executions.load(std::memory_order_relaxed)(place);
}

/// Operations of ours (run/requests.cpp), groups on network cards (offload/nic_watch.cpp), and streams
/// (background.cpp). Has anything of these moved?
inline bool progress_background(bool waits) {
  progress_executions();
  if (const auto look = process.background.look_after_nics.load(std::memory_order_relaxed)) {
    look();
  }
  const auto streams = process.background.progress_streams.load(std::memory_order_relaxed);
  return streams != nullptr && streams(waits);
}

/// In a call of the program.
inline void progress_in_call() {
  ++looks_begun;
  if (has_background_work()) [[unlikely]] {
    progress_background(false);
  }
}

/// Between two looks for what a call of the program waits for.
inline bool progress_in_wait() {
  return has_background_work() && progress_background(true);
}

/// Whether a wait for requests of the program, of which some may be ours, must not block inside of the
/// library.
inline bool must_poll_requests() {
  return has_background_work() || (yields_when_waiting() && !runtime.wait.yields_in_progress);
}

/// Whether looks have to be tests. ROMIO, in MPICH and its kin, writes and reads files in the calls that test
/// its requests: whoever asks for a request's status alone would wait for ever.
inline bool must_test_requests() {
  return own_family != Family::openmpi && process.background.has_opened_files.load(std::memory_order_relaxed);
}

/// Whether other blocking calls must not block there.
inline bool must_poll() {
  return must_poll_requests() && !(runtime.wait.executes_in_progress && has_only_executions());
}

/// Calls `look(found)`, which returns MPI's code, until it fails or has found something.
template <typename Look>
int poll(Look look) {
  wait::Waiter waiter = yielding_waiter();
  for (;;) {
    bool found = false;
    ++looks_begun;
    const std::uint64_t begin = observe::ticks();
    const int code = look(found);
    if (code != MPI_SUCCESS || found) {
      return code;
    }
    // A look that takes so long has moved a part of a long message.
    const bool moved = observe::ticks() - begin > observe::brief_ticks();
    if (progress_in_wait() || moved) {
      waiter.reset();
    } else if (yields_when_waiting()) {
      waiter.pause();
    }
  }
}

/// Waits for one request of our own making, or of the program's. It is completed by MPI_Wait, whose errors
/// are told as those of a call that blocks.
inline int poll_request(MPI_Request* request, MPI_Status* status) {
  const int code = poll([&](bool& found) {
    int flag = 0;
    const int looked = native.Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
    found = flag != 0;
    return looked;
  });
  return code == MPI_SUCCESS ? native.Wait(request, status) : code;
}

/// Waits until there is a message to receive. What receives it then is the program's call.
inline int poll_message(int source, int tag, MPI_Comm comm) {
  return poll([&](bool& found) {
    int flag = 0;
    const int code = native.Iprobe(source, tag, comm, &flag, MPI_STATUS_IGNORE);
    found = flag != 0;
    return code;
  });
}

} // namespace thalweg::mpi
