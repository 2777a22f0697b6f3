// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/trace/listener.hpp"

#include "mpi/trace/traced_collectives.hpp"
#include "mpi/trace/traced_messages.hpp"
#include "mpi/trace/traced_windows.hpp"

namespace thalweg::mpi {

namespace {

// Calls on communicators that nobody knows are none of the world's.
struct Tracer {
  CommunicatorState* communicator;

  void operator()(const MessageCall& message) const {
    if (communicator != nullptr)
      trace_message(*communicator, message);
  }
  void operator()(const MessageFound& found) const {
    if (communicator != nullptr)
      trace_found(*communicator, found.message);
  }
  void operator()(const Meeting&) const {
    if (communicator != nullptr)
      trace_meeting(*communicator);
  }
  void operator()(const RemoteAccess& access) const { trace_remote(access); }
  void operator()(const WindowCall& call) const {
    if (call.kind != WindowCall::Kind::created)
      trace_window_call(call);
    else if (communicator != nullptr)
      trace_window(call.window, *communicator);
  }
  void operator()(const CollectiveRun& run) const {
    trace_collective(*run.call, *communicator, run.implementation);
  }
  void operator()(const std::monostate&) const {}
};

} // namespace

void trace_ended(const CallEvent& event) {
  std::visit(Tracer{event.communicator}, event.content);
}

} // namespace thalweg::mpi
