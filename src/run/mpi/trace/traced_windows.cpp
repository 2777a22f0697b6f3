// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/trace/traced_windows.hpp"

#include "base/of_process.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/trace/call_log.hpp"
#include "mpi/trace/traced_calls.hpp"
#include "mpi/trace/traced_requests.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace thalweg::mpi {

namespace {

using pattern::TracedCall;
using pattern::TracedKind;

// Messages of exposures; programs may use it too, on communicators without windows.
constexpr int exposure_tag = 0x7ffffffe;

// Calls of a thread to a rank, which have one request together.
struct OpenCalls {
  ThreadLog* thread;
  std::int32_t target; // rank of the world
  std::int32_t request;
};

struct TracedWindow {
  std::uint32_t communicator;
  std::vector<OpenCalls> open;
  std::vector<std::int32_t> targets; // of the access that is open, ranks of the world
  std::vector<std::int32_t> origins; // of the exposure that is open
};

struct TracedWindows {
  std::mutex mutex;
  std::map<MPI_Win, TracedWindow> windows;
};

TracedWindows& traced_windows() {
  return of_process<TracedWindows>();
}

// Calls `visit` with the window, unless it was made while nothing was traced, or by others than the world's.
template <typename Visit>
void with_window(MPI_Win window, Visit visit) {
  TracedWindows& all = traced_windows();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.windows.find(window); found != all.windows.end())
    visit(found->second);
  else
    call_log().count_lack("calls on windows that were made untraced");
}

std::int32_t world_rank_in(const TracedWindow& window, int target) {
  return call_log().world_rank_of(window.communicator, target);
}

std::int32_t open_request(TracedWindow& window, std::int32_t target) {
  ThreadLog* const thread = &call_log().thread_log();
  const auto known = std::ranges::find_if(
      window.open, [&](const OpenCalls& one) { return one.thread == thread && one.target == target; });
  if (known != window.open.end())
    return known->request;
  return window.open.emplace_back(OpenCalls{thread, target, call_log().take_request()}).request;
}

// Of all ranks where no target is named.
void flush(TracedWindow& window, std::optional<std::int32_t> target = std::nullopt) {
  CallLog& log = call_log();
  const ThreadLog* const thread = &log.thread_log();
  TracedCall wait;
  std::erase_if(window.open, [&](const OpenCalls& one) {
    const bool is_over = one.thread == thread && one.target == target.value_or(one.target);
    if (is_over)
      wait.completed.push_back({one.request});
    return is_over;
  });
  if (wait.completed.empty())
    return;
  log.append(wait);
  for (const pattern::Completed& one : wait.completed)
    log.give_request_back(log.thread_log(), one.request);
}

// Empty messages to, or from, each of these ranks.
void append_exposure(const TracedWindow& window, TracedKind kind, const std::vector<std::int32_t>& peers) {
  TracedCall call;
  call.kind = kind;
  call.communicator = window.communicator;
  call.tag = exposure_tag;
  for (const std::int32_t peer : peers) {
    call.peer = peer;
    if (peer >= 0)
      call_log().append(call);
  }
}

// A way to the rank of the window and back.
void append_lock(const TracedWindow& window, int target) {
  TracedCall call;
  call.kind = TracedKind::remote;
  call.communicator = window.communicator;
  call.peer = world_rank_in(window, target);
  if (call.peer >= 0)
    call_log().append(call);
}

} // namespace

void trace_window(MPI_Win window, CommunicatorState& communicator) {
  if (std::ranges::any_of(communicator.world_ranks(), [](std::int32_t rank) { return rank < 0; }))
    return;
  trace_meeting(communicator);
  TracedWindows& all = traced_windows();
  const std::lock_guard lock(all.mutex);
  all.windows.insert_or_assign(window, TracedWindow{call_log().number_of(communicator), {}, {}, {}});
}

void trace_window_freed(MPI_Win window) {
  with_window(window, [](TracedWindow& one) {
    flush(one);
    trace_meeting(one.communicator);
  });
  TracedWindows& all = traced_windows();
  const std::lock_guard lock(all.mutex);
  all.windows.erase(window);
}

void trace_remote(const RemoteAccess& access) {
  with_window(access.window, [&](TracedWindow& one) {
    TracedCall call;
    call.kind = TracedKind::remote;
    call.communicator = one.communicator;
    call.peer = world_rank_in(one, access.target);
    call.bytes = access.written;
    call.read = access.read;
    if (call.peer < 0)
      return;
    if (access.request != nullptr)
      return trace_request({std::move(call)}, *access.request, false);
    call.request = open_request(one, call.peer);
    call_log().append(call);
  });
}

void trace_window_call(const WindowCall& call) {
  with_window(call.window, [&](TracedWindow& window) {
    switch (call.kind) {
    case WindowCall::Kind::created:
      break;
    case WindowCall::Kind::fence:
      flush(window);
      trace_meeting(window.communicator);
      break;
    case WindowCall::Kind::lock:
      append_lock(window, call.target);
      break;
    case WindowCall::Kind::flush:
      flush(window, world_rank_in(window, call.target));
      break;
    case WindowCall::Kind::flush_all:
      flush(window);
      break;
    case WindowCall::Kind::post:
      window.origins = world_ranks_of(call.group);
      append_exposure(window, TracedKind::send, window.origins);
      break;
    case WindowCall::Kind::start:
      window.targets = world_ranks_of(call.group);
      append_exposure(window, TracedKind::receive, window.targets);
      break;
    case WindowCall::Kind::complete:
      flush(window);
      append_exposure(window, TracedKind::send, std::exchange(window.targets, {}));
      break;
    case WindowCall::Kind::exposed:
      append_exposure(window, TracedKind::receive, std::exchange(window.origins, {}));
      break;
    }
  });
}

} // namespace thalweg::mpi
