// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/timeline/timeline_requests.hpp"

#include "base/of_process.hpp"
#include "mpi/observe/ticks.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace thalweg::mpi::timeline {

namespace {

// Of a communicator's ranks; the requests on it share them.
using WorldRanks = std::shared_ptr<const std::vector<int>>;

struct Pending {
  std::vector<Event> events = {}; // messages that begin with it, or what a collective's completion has
  WorldRanks sources = {};        // by status's source; none: it was said before
  std::uint32_t number = 0;       // 0: a persistent request that has not started
  bool is_persistent = false;
  bool is_send = false;
};

struct PendingRequests {
  std::mutex mutex;
  // By handle, the latest last: libraries give all sends that are over at once the same handle.
  std::unordered_map<MPI_Request, std::vector<Pending>> pending;
  WorldRanks latest_sources;
  std::uint32_t latest_number = 0;

  const WorldRanks& sources_of(const CommunicatorState& communicator) {
    if (latest_sources == nullptr || *latest_sources != communicator.world_ranks())
      latest_sources = std::make_shared<const std::vector<int>>(communicator.world_ranks());
    return latest_sources;
  }
};

PendingRequests& requests() {
  return of_process<PendingRequests>();
}

// With the mutex held.
void add(MPI_Request request, Pending pending) {
  std::vector<Pending>& known = requests().pending[request];
  if (!known.empty() && !(pending.is_send && known.back().is_send))
    known.clear(); // its end was not seen
  known.push_back(std::move(pending));
}

// With the mutex held.
void start(Pending& pending, std::uint64_t begin) {
  pending.number = ++requests().latest_number;
  for (Event& event : pending.events) {
    event.begin = begin;
    event.end = 0;
    event.request = pending.number;
    if (event.kind != static_cast<std::uint64_t>(EventKind::completion))
      event_memory().append(event);
  }
}

constexpr std::int32_t unknown = -1; // a rank, or a tag, that the completion says

} // namespace

void note_messages(const CommunicatorState& communicator, std::uint32_t communicator_number,
                   const MessageCall& message, Event& call) {
  std::vector<Event> events;
  const auto add_message = [&](EventKind kind, int peer, int tag, std::uint64_t bytes) {
    if (peer == MPI_PROC_NULL)
      return;
    Event event = call;
    event.kind = static_cast<std::uint64_t>(kind);
    event.communicator = communicator_number;
    event.peer = peer == MPI_ANY_SOURCE ? unknown : communicator.world_rank_of(peer);
    event.tag = tag == MPI_ANY_TAG ? unknown : tag;
    event.bytes = bytes;
    events.push_back(event);
  };
  if (message.sends)
    add_message(EventKind::send, message.sends->to, message.sends->tag, message.sends->bytes);
  if (message.receives) {
    const MPI_Status* const status = message.receives->from == MPI_PROC_NULL ? nullptr : message.status;
    add_message(EventKind::receive, status == nullptr ? message.receives->from : status->MPI_SOURCE,
                status == nullptr ? message.receives->tag : status->MPI_TAG, 0);
  }
  call.communicator = communicator_number;
  if (message.request == nullptr) {
    for (const Event& event : events)
      event_memory().append(event);
    return;
  }
  Pending pending{.events = std::move(events), .is_persistent = message.is_persistent};
  pending.is_send = message.sends && !message.receives && !message.is_persistent;
  const std::lock_guard lock(requests().mutex);
  if (message.receives)
    pending.sources = requests().sources_of(communicator);
  if (!message.is_persistent) {
    start(pending, call.begin);
    call.request = pending.number;
  }
  add(*message.request, std::move(pending));
}

void note_request(MPI_Request request, bool is_persistent, Event& call) {
  Pending pending{.events = {call}, .is_persistent = is_persistent};
  pending.events.front().kind = static_cast<std::uint64_t>(EventKind::completion);
  const std::lock_guard lock(requests().mutex);
  if (!is_persistent) {
    start(pending, call.begin);
    call.request = pending.number;
  }
  add(request, std::move(pending));
}

void request_started(MPI_Request request) {
  const std::lock_guard lock(requests().mutex);
  if (const auto found = requests().pending.find(request); found != requests().pending.end())
    start(found->second.back(), observe::ticks());
}

namespace {

// With the mutex held.
void forget(std::unordered_map<MPI_Request, std::vector<Pending>>::iterator place) {
  place->second.pop_back();
  if (place->second.empty())
    requests().pending.erase(place);
}

} // namespace

void request_freed(MPI_Request request) {
  const std::lock_guard lock(requests().mutex);
  if (const auto found = requests().pending.find(request); found != requests().pending.end())
    forget(found);
}

void request_ended(MPI_Request request, const MPI_Status* status) {
  const std::uint64_t now = observe::ticks();
  const std::lock_guard lock(requests().mutex);
  const auto found = requests().pending.find(request);
  if (found == requests().pending.end() || found->second.back().number == 0)
    return;
  Pending& pending = found->second.back();
  if (!pending.events.empty()) {
    Event event = pending.events.back();
    event.kind = static_cast<std::uint64_t>(EventKind::completion);
    event.end = now;
    if (pending.sources != nullptr && status != nullptr && status->MPI_SOURCE >= 0 &&
        static_cast<std::size_t>(status->MPI_SOURCE) < pending.sources->size()) {
      event.peer = (*pending.sources)[static_cast<std::size_t>(status->MPI_SOURCE)];
      event.tag = status->MPI_TAG;
    }
    event_memory().append(event);
  }
  if (pending.is_persistent)
    pending.number = 0;
  else
    forget(found);
}

} // namespace thalweg::mpi::timeline
