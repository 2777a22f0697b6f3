// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Requests for operations of our own that go on after the call that began them.
//
// A nonblocking operation is a generalized request of the library, which we complete. A persistent one is a
// handle that the library made for a receive from nobody (MPI_Recv_init from MPI_PROC_NULL), with a table
// beside it: the library thinks that it completes at once, and our waiting and testing calls hide it from the
// library until it really has.

#include "mpi/abi/native.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/wait/polling.hpp"
#include "strategies/implementation.hpp"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace thalweg::mpi {

/// Generalized requests of the program.
///
/// Each look at the status of one that is complete calls the program's query function, and where that fails,
/// Open MPI takes the request for one that went wrong. So waits of ours look at none: they know from the
/// program's own MPI_Grequest_complete, and the call that completes the request calls the function once.
inline bool has_generalized() {
  return process.counts.generalized_requests.load(std::memory_order_relaxed) > 0;
}

enum class GeneralizedState { unknown, pending, complete };
/// What a request is; `unknown` for what is no generalized request, or was begun by a library.
GeneralizedState generalized_state(MPI_Request request) noexcept;

void generalized_begun(MPI_Request request);
/// Before the library is told, after which the handle may be another request's.
void generalized_completed(MPI_Request request) noexcept;
void generalized_freed(MPI_Request request) noexcept;

/// The generalized requests of a call that may complete them. At its end, those that it completed are known
/// no longer.
class GeneralizedRequests {
public:
  GeneralizedRequests(int count, const MPI_Request* requests) : requests_(requests) {
    if (has_generalized() && requests != nullptr) [[unlikely]]
      keep(count);
  }
  ~GeneralizedRequests() {
    for (const auto& [index, request] : known_)
      if (requests_[index] != request)
        generalized_freed(request);
  }
  GeneralizedRequests(const GeneralizedRequests&) = delete;
  GeneralizedRequests& operator=(const GeneralizedRequests&) = delete;

private:
  void keep(int count);

  const MPI_Request* requests_;
  std::vector<std::pair<int, MPI_Request>> known_;
};

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

inline bool has_persistent() {
  return process.counts.persistent_handles.load(std::memory_order_relaxed) > 0;
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

/// The program started or freed the request, which may be any.
void request_started(MPI_Request request) noexcept;
void request_freed(MPI_Request request) noexcept;

} // namespace thalweg::mpi
