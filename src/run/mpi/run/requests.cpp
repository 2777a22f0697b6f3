// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/requests.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"
#include "mpi/wait/background.hpp"

#include <algorithm>
#include <mutex>
#include <pthread.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace thalweg::mpi {

namespace {

struct LibraryRequests {
  std::mutex mutex;
  std::unordered_map<MPI_Request, bool> is_complete;
};

LibraryRequests& begun_here() {
  return of_process<LibraryRequests>();
}

} // namespace

GeneralizedState generalized_state(MPI_Request request) noexcept {
  const std::lock_guard lock(begun_here().mutex);
  const auto entry = begun_here().is_complete.find(request);
  if (entry == begun_here().is_complete.end())
    return GeneralizedState::unknown;
  return entry->second ? GeneralizedState::complete : GeneralizedState::pending;
}

void generalized_begun(MPI_Request request) {
  const std::lock_guard lock(begun_here().mutex);
  if (begun_here().is_complete.insert_or_assign(request, false).second)
    special_request_begun(process.counts.generalized_requests);
}

void generalized_completed(MPI_Request request) noexcept {
  const std::lock_guard lock(begun_here().mutex);
  const auto entry = begun_here().is_complete.find(request);
  if (entry != begun_here().is_complete.end())
    entry->second = true;
}

void generalized_freed(MPI_Request request) noexcept {
  const std::lock_guard lock(begun_here().mutex);
  if (begun_here().is_complete.erase(request) != 0)
    special_request_ended(process.counts.generalized_requests);
}

void GeneralizedRequests::keep(int count) {
  for (int index = 0; requests_ != nullptr && index < count; ++index)
    if (generalized_state(requests_[index]) != GeneralizedState::unknown)
      known_.emplace_back(index, requests_[index]);
}

namespace {

struct OwnOperation {
  std::unique_ptr<BackgroundCall> call;
  OwnOperation* next = nullptr; // among those that have completed together
  int code = MPI_SUCCESS;       // once complete
  MPI_Request request{};        // of a nonblocking operation
  MPI_Comm comm{};              // of a persistent one
  bool persistent = false;
  bool active = false;
  bool complete = false;   // and still in flight for the library
  bool unreported = false; // persistent, completed, and the program does not know yet
};

struct Requests {
  std::mutex mutex;
  std::vector<OwnOperation*> in_flight;
  std::unordered_map<MPI_Request, std::unique_ptr<OwnOperation>> persistent;
};

Requests& requests() {
  return of_process<Requests>();
}

int query(void* state, MPI_Status* status) {
  const auto* ongoing = static_cast<const OwnOperation*>(state);
  native.Status_set_elements(status, MPI_BYTE, 0);
  native.Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return ongoing->code;
}

// Where threads are multiple, MPICH calls this inside of its lock: nothing here may call MPI.
int release(void* state) {
  delete static_cast<OwnOperation*>(state);
  return MPI_SUCCESS;
}

int refuse_to_cancel(void*, int) {
  return MPI_SUCCESS;
}

void advance_all(AdvancedFrom place);

void begin(Requests& all, OwnOperation& ongoing) {
  THALWEG_ASSERT(light, !ongoing.active && !ongoing.complete && ongoing.call != nullptr);
  THALWEG_ASSERT(heavy, std::ranges::find(all.in_flight, &ongoing) == all.in_flight.end());
  ongoing.active = true;
  all.in_flight.push_back(&ongoing);
  process.background.advance_executions.store(advance_all, std::memory_order_relaxed);
  process.background.executions.fetch_add(1, std::memory_order_release);
  background_begun(1);
  wake_progress_thread();
}

// As long as it lives, this thread is not canceled: what is under way may be another thread's, and goes on
// without it.
class CancellationGuard {
public:
  CancellationGuard() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancellationGuard() { pthread_setcancelstate(before_, nullptr); }
  CancellationGuard(const CancellationGuard&) = delete;
  CancellationGuard& operator=(const CancellationGuard&) = delete;

private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

bool advance(OwnOperation& ongoing) noexcept {
  THALWEG_ASSERT(normal, ongoing.call != nullptr && !ongoing.complete && !this_thread.is_advancing);
  const CancellationGuard uncanceled;
  this_thread.is_advancing = true;
  const bool has_ended = ongoing.call->progress();
  this_thread.is_advancing = false;
  if (has_ended)
    ongoing.code = ongoing.call->code();
  return has_ended;
}

// Of a nonblocking operation that has ended. Without the lock: it calls release(), when the program has freed
// its request.
void complete(OwnOperation& ongoing) noexcept {
  THALWEG_ASSERT(light, !ongoing.persistent && !ongoing.active && ongoing.request != MPI_REQUEST_NULL);
  ongoing.call.reset(); // now, and not in release()
  native.Grequest_complete(ongoing.request);
}

// Takes what is complete off those in flight; a list without memory of its own, as who waits is to go on at
// once.
OwnOperation* take_complete(Requests& all) {
  OwnOperation* completed = nullptr;
  std::erase_if(all.in_flight, [&completed](OwnOperation* ongoing) {
    if (!ongoing->complete)
      return false;
    THALWEG_ASSERT(normal,
                   ongoing->active && process.background.executions.load(std::memory_order_relaxed) > 0);
    ongoing->active = ongoing->complete = false;
    process.background.executions.fetch_sub(1, std::memory_order_relaxed);
    background_ended(1);
    ongoing->unreported = ongoing->persistent;
    if (!ongoing->persistent)
      ongoing->next = std::exchange(completed, ongoing);
    return true;
  });
  return completed;
}

void advance_all(AdvancedFrom place) {
  if (this_thread.is_advancing)
    return;
  Requests& all = requests();
  std::unique_lock lock(all.mutex, std::try_to_lock);
  if (!lock.owns_lock()) {
    return; // another thread is at it
  }
  for (OwnOperation* const ongoing : all.in_flight)
    ongoing->complete = ongoing->complete || advance(*ongoing);
  if (place == AdvancedFrom::in_progress)
    return;
  OwnOperation* completed = take_complete(all);
  lock.unlock();
  while (completed != nullptr) {
    complete(*std::exchange(completed, completed->next));
  }
}

// What a call that has begun has for others leaves now, as the program may be long in coming back. True where
// it has ended with that; else it is in flight from now on.
bool set_out(OwnOperation& ongoing) noexcept {
  if (advance(ongoing)) {
    return true;
  }
  begin(requests(), ongoing);
  return false;
}

} // namespace

int hand_out(std::unique_ptr<BackgroundCall> call, MPI_Request* request) noexcept {
  THALWEG_ASSERT(light, call != nullptr && request != nullptr);
  auto ongoing = std::make_unique<OwnOperation>();
  ongoing->call = std::move(call);
  const int code = native.Grequest_start(query, release, refuse_to_cancel, ongoing.get(), &ongoing->request);
  if (code == MPI_SUCCESS) {
    *request = ongoing->request;
    std::unique_lock lock(requests().mutex);
    OwnOperation& begun = *ongoing.release();
    const bool has_ended = set_out(begun);
    lock.unlock();
    if (has_ended) {
      complete(begun);
    }
  }
  return code;
}

int hand_out_persistent(std::unique_ptr<BackgroundCall> call, MPI_Comm comm, MPI_Request* request) noexcept {
  THALWEG_ASSERT(light, call != nullptr && request != nullptr && comm != MPI_COMM_NULL);
  const int code = native.Recv_init(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, request);
  if (code == MPI_SUCCESS) {
    auto ongoing = std::make_unique<OwnOperation>();
    ongoing->call = std::move(call);
    ongoing->persistent = true;
    ongoing->comm = comm;
    const std::lock_guard lock(requests().mutex);
    requests().persistent[*request] = std::move(ongoing);
    special_request_begun(process.counts.persistent_handles);
  }
  return code;
}

bool is_unfinished(MPI_Request request) noexcept {
  Requests& all = requests();
  const std::lock_guard lock(all.mutex);
  const auto entry = all.persistent.find(request);
  return entry != all.persistent.end() && entry->second->active;
}

bool is_unreported(MPI_Request request) noexcept {
  Requests& all = requests();
  const std::lock_guard lock(all.mutex);
  const auto entry = all.persistent.find(request);
  return entry != all.persistent.end() && entry->second->unreported;
}

Ending take_ending(MPI_Request request) noexcept {
  if (!has_persistent())
    return {};
  Requests& all = requests();
  const std::lock_guard lock(all.mutex);
  const auto entry = all.persistent.find(request);
  if (entry == all.persistent.end() || !std::exchange(entry->second->unreported, false))
    return {};
  return {entry->second->code, entry->second->comm};
}

void request_started(MPI_Request request) noexcept {
  Requests& all = requests();
  const std::lock_guard lock(all.mutex);
  const auto entry = all.persistent.find(request);
  if (entry != all.persistent.end()) {
    entry->second->call->restart();
    entry->second->unreported = set_out(*entry->second);
  }
}

void request_freed(MPI_Request request) noexcept {
  Requests& all = requests();
  const std::lock_guard lock(all.mutex);
  const auto entry = all.persistent.find(request);
  if (entry != all.persistent.end() && !entry->second->active) {
    THALWEG_ASSERT(light, process.counts.persistent_handles.load(std::memory_order_relaxed) > 0);
    all.persistent.erase(entry);
    special_request_ended(process.counts.persistent_handles);
  }
}

} // namespace thalweg::mpi
