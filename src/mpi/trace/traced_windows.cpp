#include "mpi/trace/traced_windows.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/comm/world_ranks.hpp"
#include "mpi/trace/call_log.hpp"
#include "mpi/trace/traced_collectives.hpp"
#include "mpi/trace/traced_requests.hpp"

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

// Never destroyed: windows may be used while the process ends.
TracedWindows& traced_windows() {
  static TracedWindows* const instance = new TracedWindows;
  return *instance;
}

// Calls `visit` with the window, unless it was made while nothing was traced, or by others than the world's.
template <class Visit>
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

void trace_remote(MPI_Win window, int target, std::uint64_t written, std::uint64_t read,
                  const MPI_Request* request) {
  with_window(window, [&](TracedWindow& one) {
    TracedCall call;
    call.kind = TracedKind::remote;
    call.communicator = one.communicator;
    call.peer = world_rank_in(one, target);
    call.bytes = written;
    call.read = read;
    if (call.peer < 0)
      return;
    if (request != nullptr)
      return trace_request({std::move(call)}, *request, false);
    call.request = open_request(one, call.peer);
    call_log().append(call);
  });
}

void trace_flush(MPI_Win window, int target) {
  with_window(window, [&](TracedWindow& one) { flush(one, world_rank_in(one, target)); });
}

void trace_flush(MPI_Win window) {
  with_window(window, [](TracedWindow& one) { flush(one); });
}

void trace_fence(MPI_Win window) {
  with_window(window, [](TracedWindow& one) {
    flush(one);
    trace_meeting(one.communicator);
  });
}

void trace_lock(MPI_Win window, int target) {
  with_window(window, [&](const TracedWindow& one) {
    TracedCall call;
    call.kind = TracedKind::remote;
    call.communicator = one.communicator;
    call.peer = world_rank_in(one, target);
    if (call.peer >= 0)
      call_log().append(call);
  });
}

void trace_post(MPI_Win window, MPI_Group group) {
  with_window(window, [&](TracedWindow& one) {
    one.origins = world_ranks_of(group);
    append_exposure(one, TracedKind::send, one.origins);
  });
}

void trace_start(MPI_Win window, MPI_Group group) {
  with_window(window, [&](TracedWindow& one) {
    one.targets = world_ranks_of(group);
    append_exposure(one, TracedKind::receive, one.targets);
  });
}

void trace_complete(MPI_Win window) {
  with_window(window, [](TracedWindow& one) {
    flush(one);
    append_exposure(one, TracedKind::send, std::exchange(one.targets, {}));
  });
}

void trace_exposed(MPI_Win window) {
  with_window(window, [](TracedWindow& one) {
    append_exposure(one, TracedKind::receive, std::exchange(one.origins, {}));
  });
}

} // namespace thalweg::mpi
