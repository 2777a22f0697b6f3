// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Requests for operations of our own that go on after the call that began them.
//
// A nonblocking operation is a generalized request of the library, which we complete. A persistent one is a
// persistent request of the library's with a table beside it: for a receive from nobody (MPI_Recv_init from
// MPI_PROC_NULL), or for the same collective, where the library is to run some of its starts. The library's
// is inactive while ours is at work, and our waiting and testing calls hide it from the library meanwhile.

#include "mpi/abi/native.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/wait/polling.hpp"
#include "strategies/implementation.hpp"

#include <atomic>
#include <memory>
#include <optional>

namespace thalweg::mpi {

class BackgroundCall {
public:
  virtual ~BackgroundCall() = default;
  /// Advances without blocking; true once only finish() is left. Not called again until restarted.
  virtual bool progress() noexcept = 0;
  /// What is left then: it may call the library.
  virtual void finish() noexcept {}
  /// May progress() call the library? If not, a thread at any thread level may advance it.
  virtual bool calls_library() const noexcept { return true; }
  /// It changes whenever something was achieved.
  virtual std::size_t stage() const noexcept { return 0; }
  /// Who advances the next run of a persistent operation; nothing where the library's request is started
  /// instead. `handed_out`: as was said then.
  virtual std::optional<strategies::Advancing> choose_run(strategies::Advancing handed_out) noexcept {
    return handed_out;
  }
  /// Begins anew; persistent operations only.
  virtual void restart() noexcept = 0;
  /// MPI's error code, once complete.
  virtual int code() const noexcept = 0;
};

/// Does the progress thread advance the call, where that is chosen for it or for all?
bool is_for_thread(const BackgroundCall& call, strategies::Advancing advancing) noexcept;

/// `call` has begun. Return MPI's error code; on failure the call is destroyed.
int hand_out(std::unique_ptr<BackgroundCall> call, strategies::Advancing advancing,
             MPI_Request* request) noexcept;
int hand_out_persistent(std::unique_ptr<BackgroundCall> call, strategies::Advancing advancing, MPI_Comm comm,
                        MPI_Request* request) noexcept;
/// `call` may run starts of a persistent request that the library has made.
void stand_in(std::unique_ptr<BackgroundCall> call, MPI_Comm comm, MPI_Request request);

inline bool has_persistent() {
  return process.counts.persistent_handles.load(std::memory_order_relaxed) > 0;
}
/// Some were started, and the program has not been told that they have completed.
inline bool has_started_persistent() {
  return process.counts.persistent_started.load(std::memory_order_relaxed) > 0;
}

/// A persistent operation of ours that was started and has not completed.
bool is_unfinished(MPI_Request request) noexcept;
/// One that has completed, and the program has not been told. Some libraries take a persistent receive from
/// nobody for inactive even after its start, so that they never tell.
bool is_unreported(MPI_Request request) noexcept;
/// What the program is told of an operation, and on which communicator.
struct Ending {
  int code = MPI_SUCCESS;
  MPI_Comm comm{};
};
/// The program is being told that the request has completed: how a persistent operation of ours ended, where
/// it is one. It is over for us.
Ending take_ending(MPI_Request request) noexcept;

/// The program starts the request, which may be any: is it ours to run this time? It is begun then.
bool start_persistent(MPI_Request request) noexcept;
/// The program freed it.
void request_freed(MPI_Request request) noexcept;

} // namespace thalweg::mpi
