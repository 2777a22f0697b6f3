// The calls that wait for requests or look at them.
//
// They make progress on our own collectives in flight, wait politely where cores are short, and hold back persistent
// collectives of ours that the library takes for finished (requests.hpp).

#include <algorithm>
#include <vector>

#include "mpi/entry.hpp"
#include "mpi/requests.hpp"

namespace thalweg::mpi {

namespace {

// Must a waiting call look itself, instead of waiting inside of the library?
bool looks_itself() {
  return waits_politely() || executions_in_flight.load(std::memory_order_relaxed) > 0;
}

// Calls `look` (which sets a flag) until it finds something or fails.
template <class Look>
int look_until_found(Look look) {
  engine::Waiter waiter = polite_waiter();
  for (;;) {
    bool found = false;
    const int code = look(found);
    if (code != MPI_SUCCESS || found) {
      return code;
    }
    progress_executions();
    if (waits_politely()) {
      waiter.pause();
    }
  }
}

// The program's requests with those held back taken out, for calls that pick what has finished.
class Presented {
public:
  Presented(int count, MPI_Request* requests) : requests_(requests) {
    if (persistent_executions.load(std::memory_order_relaxed) == 0) {
      return;
    }
    for (int i = 0; i < count; ++i) {
      if (is_held_back(requests[i])) {
        shown_.assign(requests, requests + count);
        break;
      }
    }
    for (MPI_Request& request : shown_) {
      if (is_held_back(request)) {
        request = MPI_REQUEST_NULL;
      }
    }
  }

  bool holds_back() const { return !shown_.empty(); }
  MPI_Request* data() { return holds_back() ? shown_.data() : requests_; }
  // The library changed entry `index`.
  void changed(int index) {
    if (holds_back()) {
      requests_[index] = shown_[static_cast<std::size_t>(index)];
    }
  }

private:
  MPI_Request* requests_;
  std::vector<MPI_Request> shown_;
};

bool any_held_back(int count, const MPI_Request* requests) {
  return persistent_executions.load(std::memory_order_relaxed) > 0 &&
         std::any_of(requests, requests + count, [](MPI_Request request) { return is_held_back(request); });
}

int test_all(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  if (any_held_back(count, requests)) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  return native.Testall(count, requests, flag, statuses);
}

int test_any(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  Presented presented(count, requests);
  const int code = native.Testany(count, presented.data(), index, flag, status);
  if (code == MPI_SUCCESS && *flag != 0 && *index != MPI_UNDEFINED) {
    presented.changed(*index);
  } else if (code == MPI_SUCCESS && *flag != 0 && presented.holds_back()) {
    *flag = 0; // nothing else is active, but what is held back is
  }
  return code;
}

int test_some(int count, MPI_Request* requests, int* found, int* indices, MPI_Status* statuses) {
  Presented presented(count, requests);
  const int code = native.Testsome(count, presented.data(), found, indices, statuses);
  if (code == MPI_SUCCESS && *found == MPI_UNDEFINED && presented.holds_back()) {
    *found = 0;
  }
  for (int i = 0; *found != MPI_UNDEFINED && i < *found; ++i) {
    presented.changed(indices[i]);
  }
  return code;
}

} // namespace

int handle_Wait(const CallSite& site, MPI_Request* request, MPI_Status* status) {
  const Observed observed(Function::Wait, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  if (!looks_itself()) {
    return native.Wait(request, status);
  }
  return look_until_found([&](bool& found) {
    int flag = 0;
    const int code = is_held_back(*request) ? MPI_SUCCESS : native.Test(request, &flag, status);
    found = flag != 0;
    return code;
  });
}

int handle_Waitall(const CallSite& site, int count, MPI_Request requests[], MPI_Status statuses[]) {
  const Observed observed(Function::Waitall, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  if (!looks_itself()) {
    return native.Waitall(count, requests, statuses);
  }
  return look_until_found([&](bool& found) {
    int flag = 0;
    const int code = test_all(count, requests, &flag, statuses);
    found = flag != 0;
    return code;
  });
}

int handle_Waitany(const CallSite& site, int count, MPI_Request requests[], int* index, MPI_Status* status) {
  const Observed observed(Function::Waitany, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  if (!looks_itself()) {
    return native.Waitany(count, requests, index, status);
  }
  return look_until_found([&](bool& found) {
    int flag = 0;
    const int code = test_any(count, requests, index, &flag, status);
    found = flag != 0;
    return code;
  });
}

int handle_Waitsome(const CallSite& site, int incount, MPI_Request requests[], int* outcount, int indices[],
                    MPI_Status statuses[]) {
  const Observed observed(Function::Waitsome, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  if (!looks_itself()) {
    return native.Waitsome(incount, requests, outcount, indices, statuses);
  }
  return look_until_found([&](bool& found) {
    const int code = test_some(incount, requests, outcount, indices, statuses);
    found = *outcount != 0; // a count, or MPI_UNDEFINED when there is nothing to wait for
    return code;
  });
}

int handle_Test(const CallSite& site, MPI_Request* request, int* flag, MPI_Status* status) {
  const Observed observed(Function::Test, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  *flag = 0;
  const int code = is_held_back(*request) ? MPI_SUCCESS : native.Test(request, flag, status);
  looked_in_vain(code == MPI_SUCCESS && *flag == 0);
  return code;
}

int handle_Testall(const CallSite& site, int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  const Observed observed(Function::Testall, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  const int code = test_all(count, requests, flag, statuses);
  looked_in_vain(code == MPI_SUCCESS && *flag == 0);
  return code;
}

int handle_Testany(const CallSite& site, int count, MPI_Request requests[], int* index, int* flag,
                   MPI_Status* status) {
  const Observed observed(Function::Testany, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  const int code = test_any(count, requests, index, flag, status);
  looked_in_vain(code == MPI_SUCCESS && *flag == 0);
  return code;
}

int handle_Testsome(const CallSite& site, int incount, MPI_Request requests[], int* outcount, int indices[],
                    MPI_Status statuses[]) {
  const Observed observed(Function::Testsome, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  const int code = test_some(incount, requests, outcount, indices, statuses);
  looked_in_vain(code == MPI_SUCCESS && *outcount == 0);
  return code;
}

int handle_Request_get_status(const CallSite& site, MPI_Request request, int* flag, MPI_Status* status) {
  const Observed observed(Function::Request_get_status, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  *flag = 0;
  const int code = is_held_back(request) ? MPI_SUCCESS : native.Request_get_status(request, flag, status);
  looked_in_vain(code == MPI_SUCCESS && *flag == 0);
  return code;
}

int handle_Request_free(const CallSite& site, MPI_Request* request) {
  const Observed observed(Function::Request_free, site, MPI_COMM_NULL, no_bytes);
  request_freed(*request);
  return native.Request_free(request);
}

int handle_Start(const CallSite& site, MPI_Request* request) {
  const Observed observed(Function::Start, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  const int code = native.Start(request);
  return code == MPI_SUCCESS ? request_started(*request) : code;
}

int handle_Startall(const CallSite& site, int count, MPI_Request requests[]) {
  const Observed observed(Function::Startall, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  int code = native.Startall(count, requests);
  for (int i = 0; i < count && code == MPI_SUCCESS; ++i) {
    code = request_started(requests[i]);
  }
  return code;
}

int handle_Cancel(const CallSite& site, MPI_Request* request) {
  const Observed observed(Function::Cancel, site, MPI_COMM_NULL, no_bytes);
  return native.Cancel(request);
}

} // namespace thalweg::mpi
