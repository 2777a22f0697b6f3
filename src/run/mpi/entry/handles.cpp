// SPDX-License-Identifier: BSD-3-Clause

// The calls that start, cancel and free requests, those of generalized ones, and the end of windows.

#include "handlers.hpp"
#include "mpi/entry/entry.hpp"
#include "mpi/entry/followed_requests.hpp"
#include "mpi/learn/learned.hpp"
#include "mpi/record/messages.hpp"
#include "mpi/run/generalized_requests.hpp"
#include "mpi/run/requests.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/trace/followed_span.hpp"
#include "mpi/trace/traced_requests.hpp"
#include "mpi/trace/traced_windows.hpp"

#include <vector>

namespace thalweg::mpi {

namespace {

// Runs the request if it is ours to run this time.
bool starts_here(MPI_Request request) {
  const bool is_ours = start_persistent(request);
  if (const MeasuredStart measured = take_measured_start(); measured.figures != nullptr)
    follow_persistent(request, measured);
  return is_ours;
}

// Those that are not ours this time are the library's, all at once.
int start_all(int count, MPI_Request requests[]) {
  std::vector<MPI_Request> others;
  std::vector<int> places;
  for (int index = 0; index < count; ++index) {
    if (starts_here(requests[index]))
      continue;
    others.push_back(requests[index]);
    places.push_back(index);
  }
  const int code =
      others.empty() ? MPI_SUCCESS : native.Startall(static_cast<int>(others.size()), others.data());
  for (std::size_t index = 0; index < others.size(); ++index)
    requests[places[index]] = others[index];
  return code;
}

// Their messages begin now.
void note_started(int count, const MPI_Request* requests) {
  for (int index = 0; process.observation.is_counting() && index < count; ++index)
    recorded_request_started(requests[index]);
  for (int index = 0; process.observation.is_tracing() && index < count; ++index)
    follow_request_started(requests[index]);
}

} // namespace

int handle_Request_free(const CallSite& site, MPI_Request* request) {
  const CallObserver observer(Function::Request_free, site, MPI_COMM_NULL, no_bytes, of_reports_and_traces);
  if (has_persistent() && request != nullptr) {
    request_freed(*request);
  }
  if (has_generalized() && request != nullptr) {
    generalized_freed(*request);
  }
  if (process.observation.messages && request != nullptr) {
    recorded_request_freed(*request);
  }
  if (process.observation.traces && request != nullptr) {
    follow_request_freed(*request);
  }
  const MPI_Request freed = request == nullptr ? MPI_REQUEST_NULL : *request;
  const int code = native.Request_free(request);
  if (code == MPI_SUCCESS && PerThread<FollowedRequests>::here().used != 0) {
    forget_request(freed);
  }
  return code;
}

int handle_Grequest_start(const CallSite&, MPI_Grequest_query_function* query,
                          MPI_Grequest_free_function* release, MPI_Grequest_cancel_function* cancel,
                          void* extra_state, MPI_Request* request) {
  const int code = native.Grequest_start(query, release, cancel, extra_state, request);
  if (code == MPI_SUCCESS)
    generalized_begun(*request);
  return code;
}

int handle_Grequest_complete(const CallSite&, MPI_Request request) {
  generalized_completed(request);
  return native.Grequest_complete(request);
}

int handle_Start(const CallSite& site, MPI_Request* request) {
  const CallObserver observer(Function::Start, site, MPI_COMM_NULL, no_bytes, of_reports_and_traces);
  progress_in_call();
  const bool is_ours = has_persistent() && request != nullptr && starts_here(*request);
  const int code = is_ours ? MPI_SUCCESS : native.Start(request);
  if (code == MPI_SUCCESS)
    note_started(1, request);
  return code;
}

int handle_Startall(const CallSite& site, int count, MPI_Request requests[]) {
  const CallObserver observer(Function::Startall, site, MPI_COMM_NULL, no_bytes, of_reports_and_traces);
  progress_in_call();
  const int code =
      has_persistent() && requests != nullptr ? start_all(count, requests) : native.Startall(count, requests);
  if (code == MPI_SUCCESS)
    note_started(count, requests);
  return code;
}

int handle_Cancel(const CallSite& site, MPI_Request* request) {
  const CallObserver observer(Function::Cancel, site, MPI_COMM_NULL, no_bytes, of_reports_and_traces);
  if (process.observation.traces && request != nullptr) {
    traced_request_canceled(*request);
  }
  return native.Cancel(request);
}

int handle_Win_free(const CallSite& site, MPI_Win* window) {
  const CallObserver observer(Function::Win_free, site, MPI_COMM_NULL, no_bytes);
  if (process.observation.messages && window != nullptr)
    recorded_window_freed(*window);
  if (process.observation.is_tracing() && window != nullptr)
    trace_window_freed(*window);
  return native.Win_free(window);
}

} // namespace thalweg::mpi
