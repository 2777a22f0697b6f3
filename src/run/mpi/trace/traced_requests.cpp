// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/trace/traced_requests.hpp"

#include "base/of_process.hpp"
#include "mpi/timeline/timeline_requests.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace thalweg::mpi {

namespace {

using pattern::Completed;
using pattern::TracedCall;

// Of a communicator's ranks; the requests on it share them.
using WorldRanks = std::shared_ptr<const std::vector<int>>;

struct TracedRequest {
  ThreadLog* thread = nullptr; // whose number it has
  std::int32_t number = 0;
  bool is_persistent = false;
  bool is_active = false;
  bool is_canceled = false;
  bool is_send = false;
  WorldRanks sources = nullptr;       // by status's source; none: it was said before
  std::vector<TracedCall> calls = {}; // of persistent ones
};

struct TracedRequests {
  std::mutex mutex;
  // By handle, the latest last: libraries give all sends that are over at once the same handle.
  std::unordered_map<MPI_Request, std::vector<TracedRequest>> requests;
  WorldRanks latest_sources;

  // Where every request had a copy, many receives on a large communicator took much memory.
  const WorldRanks& sources_of(const CommunicatorState& communicator) {
    if (latest_sources == nullptr || *latest_sources != communicator.world_ranks())
      latest_sources = std::make_shared<const std::vector<int>>(communicator.world_ranks());
    return latest_sources;
  }

  void forget_latest(MPI_Request request) {
    const auto found = requests.find(request);
    found->second.pop_back();
    if (found->second.empty())
      requests.erase(found);
  }
};

TracedRequests& traced_requests() {
  return of_process<TracedRequests>();
}

Completed completed_of(const TracedRequest& request, const MPI_Status* status) {
  Completed found{request.number};
  int was_canceled = 0;
  if (request.is_canceled && status != nullptr)
    native.Test_cancelled(status, &was_canceled);
  if (was_canceled != 0) {
    found.source = Completed::canceled;
  } else if (request.sources != nullptr && status != nullptr && status->MPI_SOURCE >= 0) {
    found.source = (*request.sources)[static_cast<std::size_t>(status->MPI_SOURCE)];
    found.tag = status->MPI_TAG;
  }
  return found;
}

// Adds what is over, and gives its number back; what another thread began is left out.
void complete(MPI_Request request, const MPI_Status* status, std::vector<Completed>& completed) {
  if (process.observation.keeps_timeline)
    timeline::request_ended(request, status);
  TracedRequests& all = traced_requests();
  CallLog& log = call_log();
  const std::lock_guard lock(all.mutex);
  const auto found = all.requests.find(request);
  if (found == all.requests.end() || !found->second.back().is_active)
    return;
  TracedRequest& one = found->second.back();
  if (one.thread == &log.thread_log())
    completed.push_back(completed_of(one, status));
  else
    log.count_lack("waits for requests of other threads");
  one.is_active = false;
  if (one.is_persistent)
    return;
  log.give_request_back(*one.thread, one.number);
  all.forget_latest(request);
}

// Of this thread: several where a call is made within another, as by error handlers.
std::vector<std::unique_ptr<WaitedRoom>>& spare_rooms() {
  static thread_local std::vector<std::unique_ptr<WaitedRoom>> rooms;
  return rooms;
}

void append_wait(std::vector<Completed> completed) {
  if (completed.empty())
    return;
  TracedCall call;
  call.completed = std::move(completed);
  call_log().append(call);
}

} // namespace

void trace_request(std::vector<TracedCall> calls, MPI_Request request, bool is_persistent,
                   CommunicatorState* asks) {
  CallLog& log = call_log();
  TracedRequest one{.thread = &log.thread_log(),
                    .number = log.take_request(),
                    .is_persistent = is_persistent,
                    .is_active = !is_persistent};
  one.is_send = !is_persistent && calls.size() == 1 && calls[0].kind == pattern::TracedKind::send;
  for (TracedCall& call : calls) {
    call.request = one.number;
    if (!is_persistent)
      log.append(call);
  }
  if (is_persistent)
    one.calls = std::move(calls);
  TracedRequests& all = traced_requests();
  const std::lock_guard lock(all.mutex);
  if (asks != nullptr)
    one.sources = all.sources_of(*asks);
  std::vector<TracedRequest>& known = all.requests[request];
  if (!known.empty() && !(one.is_send && known.back().is_send))
    known.clear(); // its end was not seen
  known.push_back(std::move(one));
}

void traced_request_started(MPI_Request request) {
  TracedRequests& all = traced_requests();
  const std::lock_guard lock(all.mutex);
  const auto found = all.requests.find(request);
  if (found == all.requests.end())
    return;
  TracedRequest& one = found->second.back();
  one.is_active = true;
  if (one.thread != &call_log().thread_log())
    call_log().count_lack("starts of requests of other threads");
  else
    for (const TracedCall& call : one.calls)
      call_log().append(call);
}

void traced_request_freed(MPI_Request request) {
  TracedRequests& all = traced_requests();
  const std::lock_guard lock(all.mutex);
  const auto found = all.requests.find(request);
  if (found == all.requests.end())
    return;
  CallLog& log = call_log();
  TracedRequest& one = found->second.back();
  if (one.is_canceled && one.is_active && one.thread == &log.thread_log()) // nobody will look at it again
    append_wait({{.request = one.number, .source = Completed::canceled}});
  log.give_request_back(*one.thread, one.number);
  all.forget_latest(request);
}

void traced_request_canceled(MPI_Request request) {
  TracedRequests& all = traced_requests();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.requests.find(request); found != all.requests.end())
    found->second.back().is_canceled = true;
}

void WaitedRequests::keep(int count, const MPI_Request* requests) {
  std::vector<std::unique_ptr<WaitedRoom>>& spare = spare_rooms();
  if (spare.empty()) {
    room_ = std::make_unique<WaitedRoom>();
  } else {
    room_ = std::move(spare.back());
    spare.pop_back();
  }
  room_->requests.assign(requests, requests + count);
}

void WaitedRequests::give_back() {
  spare_rooms().push_back(std::move(room_));
}

MPI_Status* WaitedRequests::statuses_for(std::size_t count) {
  if (room_->statuses_there < count) {
    room_->statuses = std::make_unique_for_overwrite<MPI_Status[]>(count);
    room_->statuses_there = count;
  }
  return room_->statuses.get();
}

MPI_Status* WaitedRequests::statuses(MPI_Status* statuses) {
  return room_ == nullptr || statuses != MPI_STATUSES_IGNORE ? statuses
                                                             : statuses_for(room_->requests.size());
}

MPI_Status* WaitedRequests::status(MPI_Status* status) {
  return room_ == nullptr || status != MPI_STATUS_IGNORE ? status : statuses_for(1);
}

int WaitedRequests::all(int code, const MPI_Status* statuses) const {
  if (room_ == nullptr || code != MPI_SUCCESS)
    return code;
  std::vector<Completed> completed;
  for (std::size_t index = 0; index < room_->requests.size(); ++index)
    complete(room_->requests[index], statuses == MPI_STATUSES_IGNORE ? nullptr : &statuses[index], completed);
  append_wait(std::move(completed));
  return code;
}

int WaitedRequests::one(int code, const int& index, const MPI_Status* status) const {
  if (room_ == nullptr || code != MPI_SUCCESS || index == MPI_UNDEFINED)
    return code;
  std::vector<Completed> completed;
  complete(room_->requests[static_cast<std::size_t>(index)], status == MPI_STATUS_IGNORE ? nullptr : status,
           completed);
  append_wait(std::move(completed));
  return code;
}

int WaitedRequests::some(int code, const int& count, const int* indices, const MPI_Status* statuses) const {
  if (room_ == nullptr || code != MPI_SUCCESS || count == MPI_UNDEFINED)
    return code;
  std::vector<Completed> completed;
  for (int place = 0; place < count; ++place)
    complete(room_->requests[static_cast<std::size_t>(indices[place])],
             statuses == MPI_STATUSES_IGNORE ? nullptr : &statuses[place], completed);
  append_wait(std::move(completed));
  return code;
}

} // namespace thalweg::mpi
