// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/trace/followed_span.hpp"

#include "mpi/state/runtime.hpp"
#include "mpi/timeline/timeline.hpp"
#include "mpi/timeline/timeline_requests.hpp"
#include "mpi/trace/call_log.hpp"
#include "mpi/trace/traced_calls.hpp"
#include "mpi/trace/traced_requests.hpp"
#include "mpi/trace/tracing.hpp"

namespace thalweg::mpi {

void begin_following() {
  Observation& observation = process.observation;
  if (observation.keeps_timeline && !timeline::begin()) {
    observation.keeps_timeline = false;
    observation.traces = observation.keeps_trace;
    log_line("no timeline: there is no memory for its events; try a smaller --timeline-size");
  }
  if (observation.keeps_trace)
    begin_trace();
  process.hooks.after_jump = [] {
    if (process.observation.keeps_trace)
      call_log().leave();
    if (process.observation.keeps_timeline)
      timeline::left_by_jump();
  };
}

void follow_entry() {
  if (process.observation.keeps_trace)
    call_log().enter();
  if (process.observation.keeps_timeline)
    timeline::entered();
}

void follow_exit() {
  if (process.observation.keeps_timeline)
    timeline::left();
  if (process.observation.keeps_trace)
    call_log().leave();
}

void follow_call(observe::CallRow& row, std::uint64_t bytes) {
  if (process.observation.keeps_timeline)
    timeline::is_call(row, bytes);
}

void follow_collective(observe::CallRow& row, CommunicatorState& communicator, std::uint64_t bytes) {
  if (process.observation.keeps_timeline)
    timeline::is_collective(row, communicator, bytes);
}

void follow_ended(const CallEvent& event) {
  if (process.observation.keeps_timeline)
    timeline::ended(event);
  if (process.observation.keeps_trace)
    trace_ended(event);
  else if (const auto* const found = std::get_if<ProbedMessage>(&event.content);
           found != nullptr && event.communicator != nullptr)
    trace_found(*event.communicator, found->message);
}

void follow_request_started(MPI_Request request) {
  if (process.observation.keeps_trace)
    traced_request_started(request);
  if (process.observation.keeps_timeline)
    timeline::request_started(request);
}

void follow_request_freed(MPI_Request request) {
  if (process.observation.keeps_trace)
    traced_request_freed(request);
  if (process.observation.keeps_timeline)
    timeline::request_freed(request);
}

} // namespace thalweg::mpi
