// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/requests.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"
#include "mpi/wait/progress_thread.hpp"
#include "wait/system.hpp"

#include <algorithm>
#include <mutex>
#include <pthread.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace thalweg::mpi {

namespace {

struct OwnOperation {
  std::unique_ptr<BackgroundCall> call;
  OwnOperation* next = nullptr; // among those that have completed together
  int code = MPI_SUCCESS;       // once complete
  MPI_Request request{};        // of a nonblocking operation
  MPI_Comm comm{};              // of a persistent one
  bool persistent = false;
  strategies::Advancing advancing =
      strategies::Advancing::in_calls; // as it was handed out; of persistent ones
  bool is_for_thread = false;
  bool active = false;
  bool has_ended = false;  // but for finish()
  bool complete = false;   // and still in flight for the library
  bool unreported = false; // persistent, completed, and the program does not know yet
};

struct Requests {
  std::mutex mutex;
  std::atomic<int> waiting_calls{0}; // for the mutex, which the progress thread takes again and again
  std::vector<OwnOperation*> in_flight;
  std::unordered_map<MPI_Request, std::unique_ptr<OwnOperation>> persistent;
};

Requests& requests() {
  return of_process<Requests>();
}

// A call of the program that has to have the lock.
class CallLock {
public:
  explicit CallLock(Requests& all) {
    all.waiting_calls.fetch_add(1, std::memory_order_relaxed);
    lock_ = std::unique_lock(all.mutex);
    all.waiting_calls.fetch_sub(1, std::memory_order_relaxed);
  }
  void unlock() { lock_.unlock(); }

private:
  std::unique_lock<std::mutex> lock_;
};

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

bool advance_all(AdvancedFrom place);

void begin(Requests& all, OwnOperation& ongoing) {
  THALWEG_ASSERT(light,
                 !ongoing.active && !ongoing.complete && !ongoing.has_ended && ongoing.call != nullptr);
  THALWEG_ASSERT(heavy, std::ranges::find(all.in_flight, &ongoing) == all.in_flight.end());
  ongoing.active = true;
  all.in_flight.push_back(&ongoing);
  process.background.advance_executions.store(advance_all, std::memory_order_relaxed);
  process.background.executions.fetch_add(1, std::memory_order_release);
  background_begun(1);
  if (ongoing.is_for_thread) {
    process.background.executions_of_thread.fetch_add(1, std::memory_order_release);
    wake_progress_thread();
  }
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

// Has anything moved?
bool advance(OwnOperation& ongoing) noexcept {
  if (ongoing.has_ended || ongoing.complete)
    return false;
  THALWEG_ASSERT(normal, ongoing.call != nullptr && !this_thread.is_advancing);
  const CancellationGuard uncanceled;
  const std::size_t stage = ongoing.call->stage();
  this_thread.is_advancing = true;
  ongoing.has_ended = ongoing.call->progress();
  this_thread.is_advancing = false;
  if (ongoing.has_ended && ongoing.active && ongoing.is_for_thread)
    process.background.executions_of_thread.fetch_sub(1, std::memory_order_relaxed);
  return ongoing.has_ended || ongoing.call->stage() != stage;
}

// What is left at its end. True where it is complete.
bool finish(OwnOperation& ongoing) noexcept {
  if (!ongoing.has_ended || ongoing.complete)
    return ongoing.complete;
  const CancellationGuard uncanceled;
  this_thread.is_advancing = true;
  ongoing.call->finish();
  this_thread.is_advancing = false;
  ongoing.code = ongoing.call->code();
  ongoing.has_ended = false;
  return true;
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

// All that have completed are over. Without the lock.
void complete_all(OwnOperation* completed) noexcept {
  while (completed != nullptr)
    complete(*std::exchange(completed, completed->next));
}

bool advance_in_call(Requests& all, AdvancedFrom place) {
  process.background.advances_in_calls.fetch_add(1, std::memory_order_relaxed);
  std::unique_lock lock(all.mutex, std::try_to_lock);
  if (!lock.owns_lock()) { // another thread is at it
    if (process.background.thread_shares_core.load(std::memory_order_relaxed))
      wait::System::yield(); // and may need this one's core
    return false;
  }
  bool has_moved = false;
  for (OwnOperation* const ongoing : all.in_flight) {
    has_moved |= advance(*ongoing);
    ongoing->complete = finish(*ongoing);
  }
  if (place == AdvancedFrom::in_progress)
    return has_moved;
  OwnOperation* const completed = take_complete(all);
  lock.unlock();
  complete_all(completed);
  return has_moved;
}

// A look that takes more of the core than this has moved a part of a long message. The time that others had
// the core for is none of it.
std::uint64_t moving_ns(const BackgroundCall& call) {
  return call.calls_library() ? 30'000 : 8'000;
}

// The progress thread gives the lock back after each operation, and to calls of the program that wait for it.
bool advance_in_thread(Requests& all) {
  const bool may_call_library = thread_may_call_library();
  bool has_moved = false;
  for (std::size_t index = 0;; ++index) {
    while (all.waiting_calls.load(std::memory_order_relaxed) > 0)
      wait::System::yield();
    const std::lock_guard lock(all.mutex);
    if (index >= all.in_flight.size())
      break;
    OwnOperation& ongoing = *all.in_flight[index];
    if (!ongoing.is_for_thread)
      continue;
    THALWEG_ASSERT(light, may_call_library || !ongoing.call->calls_library());
    const std::uint64_t begin_ns = observe::thread_cpu_ns();
    has_moved |= advance(ongoing) || observe::thread_cpu_ns() - begin_ns > moving_ns(*ongoing.call);
    if (may_call_library)
      ongoing.complete = finish(ongoing);
  }
  if (!may_call_library)
    return has_moved;
  std::unique_lock lock(all.mutex);
  OwnOperation* const completed = take_complete(all);
  lock.unlock();
  complete_all(completed);
  return has_moved;
}

bool advance_all(AdvancedFrom place) {
  if (this_thread.is_advancing)
    return false;
  Requests& all = requests();
  return place == AdvancedFrom::progress_thread ? advance_in_thread(all) : advance_in_call(all, place);
}

// What a call that has begun has for others leaves now, as the program may be long in coming back. True where
// it has ended with that; else it is in flight from now on.
bool set_out(OwnOperation& ongoing) noexcept {
  advance(ongoing);
  if (finish(ongoing))
    return true;
  begin(requests(), ongoing);
  return false;
}

} // namespace

bool is_for_thread(const BackgroundCall& call, strategies::Advancing advancing) noexcept {
  return (advancing == strategies::Advancing::by_thread || runtime.settings.progress_thread) &&
         (thread_may_call_library() || !call.calls_library());
}

int hand_out(std::unique_ptr<BackgroundCall> call, strategies::Advancing advancing,
             MPI_Request* request) noexcept {
  THALWEG_ASSERT(light, call != nullptr && request != nullptr);
  auto ongoing = std::make_unique<OwnOperation>();
  ongoing->is_for_thread = is_for_thread(*call, advancing);
  ongoing->call = std::move(call);
  const int code = native.Grequest_start(query, release, refuse_to_cancel, ongoing.get(), &ongoing->request);
  if (code == MPI_SUCCESS) {
    *request = ongoing->request;
    CallLock lock(requests());
    OwnOperation& begun = *ongoing.release();
    const bool has_ended = set_out(begun);
    lock.unlock();
    if (has_ended) {
      complete(begun);
    }
  }
  return code;
}

namespace {

void keep_persistent(std::unique_ptr<BackgroundCall> call, strategies::Advancing advancing, MPI_Comm comm,
                     MPI_Request request) {
  auto ongoing = std::make_unique<OwnOperation>();
  ongoing->call = std::move(call);
  ongoing->persistent = true;
  ongoing->advancing = advancing;
  ongoing->comm = comm;
  const std::lock_guard lock(requests().mutex);
  requests().persistent[request] = std::move(ongoing);
  process.counts.persistent_handles.fetch_add(1, std::memory_order_relaxed);
}

// One that completes with its start is to be told of, too.
void set_unreported(OwnOperation& ongoing, bool unreported) {
  if (std::exchange(ongoing.unreported, unreported) && !unreported)
    special_request_ended(process.counts.persistent_started);
}

} // namespace

int hand_out_persistent(std::unique_ptr<BackgroundCall> call, strategies::Advancing advancing, MPI_Comm comm,
                        MPI_Request* request) noexcept {
  THALWEG_ASSERT(light, call != nullptr && request != nullptr && comm != MPI_COMM_NULL);
  const int code = native.Recv_init(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, request);
  if (code == MPI_SUCCESS) {
    keep_persistent(std::move(call), advancing, comm, *request);
  }
  return code;
}

void stand_in(std::unique_ptr<BackgroundCall> call, MPI_Comm comm, MPI_Request request) {
  THALWEG_ASSERT(light, call != nullptr && request != MPI_REQUEST_NULL && comm != MPI_COMM_NULL);
  keep_persistent(std::move(call), strategies::Advancing::in_calls, comm, request);
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
  if (entry == all.persistent.end() || !entry->second->unreported)
    return {};
  set_unreported(*entry->second, false);
  return {entry->second->code, entry->second->comm};
}

namespace {

// The program starts a request in one thread at a time, and frees it in none meanwhile.
OwnOperation* find_persistent(Requests& all, MPI_Request request) {
  const std::lock_guard lock(all.mutex);
  const auto entry = all.persistent.find(request);
  return entry == all.persistent.end() ? nullptr : entry->second.get();
}

} // namespace

bool start_persistent(MPI_Request request) noexcept {
  Requests& all = requests();
  OwnOperation* const ongoing = find_persistent(all, request);
  if (ongoing == nullptr || ongoing->active)
    return false; // the library says what is wrong with one that is active
  const std::optional<strategies::Advancing> run = ongoing->call->choose_run(ongoing->advancing);
  if (!run)
    return false;
  const CallLock lock(all);
  ongoing->is_for_thread = is_for_thread(*ongoing->call, *run);
  set_unreported(*ongoing, false);
  special_request_begun(process.counts.persistent_started);
  ongoing->call->restart();
  set_unreported(*ongoing, set_out(*ongoing));
  return true;
}

void request_freed(MPI_Request request) noexcept {
  Requests& all = requests();
  std::unique_ptr<OwnOperation> freed; // ends without the lock
  const std::lock_guard lock(all.mutex);
  const auto entry = all.persistent.find(request);
  if (entry != all.persistent.end() && !entry->second->active) {
    THALWEG_ASSERT(light, process.counts.persistent_handles.load(std::memory_order_relaxed) > 0);
    set_unreported(*entry->second, false);
    freed = std::move(entry->second);
    all.persistent.erase(entry);
    process.counts.persistent_handles.fetch_sub(1, std::memory_order_relaxed);
  }
}

} // namespace thalweg::mpi
