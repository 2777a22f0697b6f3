// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Requests of the program's for the trace: what began with each, and when it is over.

#include "mpi/comm/communicators.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/trace/call_log.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace thalweg::mpi {

/// These calls began; the request stands for all of them. A persistent request's begin when it is started.
/// `asks` of a receive: its communicator, where any message may come; else null.
void trace_request(std::vector<pattern::TracedCall> calls, MPI_Request request, bool is_persistent,
                   CommunicatorState* asks = nullptr);

void traced_request_started(MPI_Request request);
void traced_request_freed(MPI_Request request);
void traced_request_canceled(MPI_Request request);

/// Room for the requests of a call, which the next ones of its thread use again: of many requests, fresh
/// pages cost more than the call.
struct WaitedRoom {
  std::vector<MPI_Request> requests;
  std::unique_ptr<MPI_Status[]> statuses;
  std::size_t statuses_there = 0;
};

/// The requests that a call waits for or looks at, as they were before it: they may be none afterwards.
class WaitedRequests {
public:
  WaitedRequests(int count, const MPI_Request* requests) {
    if (process.observation.traces && process.observation.is_on && count > 0 && requests != nullptr)
        [[unlikely]]
      keep(count, requests);
  }
  ~WaitedRequests() {
    if (room_ != nullptr) [[unlikely]]
      give_back();
  }
  WaitedRequests(const WaitedRequests&) = delete;
  WaitedRequests& operator=(const WaitedRequests&) = delete;

  /// Where the program ignores statuses, the trace wants them for receives of any message.
  MPI_Status* statuses(MPI_Status* statuses);
  MPI_Status* status(MPI_Status* status);

  /// What became of them, after the call returned `code`; gives the code. Numbers are read when it has been
  /// made.
  int all(int code, const MPI_Status* statuses) const;
  int one(int code, const int& index, const MPI_Status* status) const;
  int some(int code, const int& count, const int* indices, const MPI_Status* statuses) const;

private:
  void keep(int count, const MPI_Request* requests);
  void give_back();
  MPI_Status* statuses_for(std::size_t count);

  std::unique_ptr<WaitedRoom> room_; ///< none: nothing is traced
};

} // namespace thalweg::mpi
