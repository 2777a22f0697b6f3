#include "mpi/requests.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "mpi/politeness.hpp"
#include "mpi/progress.hpp"

namespace thalweg::mpi {

namespace {

// What stands behind a request.
struct Holder {
  std::unique_ptr<Execution> execution;
  MPI_Request request{};
  bool persistent = false;
  std::atomic<bool> under_way{false};
};

struct Table {
  std::mutex mutex;
  std::map<MPI_Request, std::unique_ptr<Holder>> persistent;
};

Table& table() {
  static Table instance;
  return instance;
}

struct Flights {
  std::mutex mutex; // one thread at a time makes progress; others need not wait for it
  std::vector<Holder*> list;
  std::mutex arrivals_mutex;
  std::vector<Holder*> arrivals;
};

Flights& flights() {
  static Flights instance;
  return instance;
}

void take_off(Holder* holder) {
  holder->under_way = true;
  const std::lock_guard lock(flights().arrivals_mutex);
  flights().arrivals.push_back(holder);
  executions_in_flight.fetch_add(1, std::memory_order_release);
}

void land(Holder* holder) {
  const MPI_Request request = holder->request;
  const bool persistent = holder->persistent;
  holder->under_way = false; // a persistent holder may be gone from here on
  executions_in_flight.fetch_sub(1, std::memory_order_release);
  if (!persistent)
    native.Grequest_complete(request);
}

int query(void* state, MPI_Status* status) {
  native.Status_set_elements(status, MPI_BYTE, 0);
  native.Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return static_cast<Holder*>(state)->execution->code();
}

int release(void* state) {
  delete static_cast<Holder*>(state);
  return MPI_SUCCESS;
}

int cancel(void*, int) { return MPI_SUCCESS; } // collectives cannot be cancelled

Holder* find_persistent(MPI_Request request) {
  const std::lock_guard lock(table().mutex);
  const auto found = table().persistent.find(request);
  return found == table().persistent.end() ? nullptr : found->second.get();
}

} // namespace

int hand_out(std::unique_ptr<Execution> execution, MPI_Request* request) {
  auto holder = std::make_unique<Holder>();
  holder->execution = std::move(execution);
  const int code = native.Grequest_start(query, release, cancel, holder.get(), request);
  if (code != MPI_SUCCESS)
    return code;
  holder->request = *request;
  take_off(holder.release());
  return MPI_SUCCESS;
}

int hand_out_persistent(std::unique_ptr<Execution> execution, MPI_Request* request) {
  const int code = native.Recv_init(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, request);
  if (code != MPI_SUCCESS)
    return code;
  auto holder = std::make_unique<Holder>();
  holder->execution = std::move(execution);
  holder->request = *request;
  holder->persistent = true;
  const std::lock_guard lock(table().mutex);
  table().persistent[*request] = std::move(holder);
  persistent_executions.fetch_add(1);
  return MPI_SUCCESS;
}

bool is_held_back(MPI_Request request) {
  if (persistent_executions.load(std::memory_order_relaxed) == 0)
    return false;
  const Holder* holder = find_persistent(request);
  return holder != nullptr && holder->under_way;
}

int request_started(MPI_Request request) {
  if (persistent_executions.load(std::memory_order_relaxed) == 0)
    return MPI_SUCCESS;
  Holder* holder = find_persistent(request);
  if (holder == nullptr)
    return MPI_SUCCESS;
  const int code = holder->execution->start();
  if (code == MPI_SUCCESS)
    take_off(holder);
  return code;
}

void request_freed(MPI_Request request) {
  if (persistent_executions.load(std::memory_order_relaxed) == 0)
    return;
  engine::Waiter waiter = polite_waiter();
  while (is_held_back(request)) {
    progress_executions();
    waiter.pause();
  }
  const std::lock_guard lock(table().mutex);
  if (table().persistent.erase(request) > 0)
    persistent_executions.fetch_sub(1);
}

void progress_all_executions() noexcept {
  Flights& all = flights();
  const std::unique_lock lock(all.mutex, std::try_to_lock);
  if (!lock.owns_lock())
    return;
  {
    const std::lock_guard arrivals_lock(all.arrivals_mutex);
    all.list.insert(all.list.end(), all.arrivals.begin(), all.arrivals.end());
    all.arrivals.clear();
  }
  std::erase_if(all.list, [](Holder* holder) {
    if (!holder->execution->progress())
      return false;
    land(holder);
    return true;
  });
}

} // namespace thalweg::mpi
