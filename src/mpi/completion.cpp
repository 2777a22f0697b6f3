// The calls that wait for requests or look at them.

#include "mpi/entry.hpp"

namespace thalweg::mpi {

namespace {

// Calls `look` (which sets a flag) until it finds something or fails.
template <class Look>
int look_politely(Look look) {
  engine::Waiter waiter = polite_waiter();
  for (;;) {
    bool found = false;
    const int code = look(found);
    if (code != MPI_SUCCESS || found) {
      return code;
    }
    progress_executions();
    waiter.pause();
  }
}

} // namespace

int handle_Wait(const CallSite& site, MPI_Request* request, MPI_Status* status) {
  const Observed observed(Function::Wait, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  if (!waits_politely()) {
    return native.Wait(request, status);
  }
  return look_politely([&](bool& found) {
    int flag = 0;
    const int code = native.Test(request, &flag, status);
    found = flag != 0;
    return code;
  });
}

int handle_Waitall(const CallSite& site, int count, MPI_Request requests[], MPI_Status statuses[]) {
  const Observed observed(Function::Waitall, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  if (!waits_politely()) {
    return native.Waitall(count, requests, statuses);
  }
  return look_politely([&](bool& found) {
    int flag = 0;
    const int code = native.Testall(count, requests, &flag, statuses);
    found = flag != 0;
    return code;
  });
}

int handle_Waitany(const CallSite& site, int count, MPI_Request requests[], int* index, MPI_Status* status) {
  const Observed observed(Function::Waitany, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  if (!waits_politely()) {
    return native.Waitany(count, requests, index, status);
  }
  return look_politely([&](bool& found) {
    int flag = 0;
    const int code = native.Testany(count, requests, index, &flag, status);
    found = flag != 0;
    return code;
  });
}

int handle_Waitsome(const CallSite& site, int incount, MPI_Request requests[], int* outcount, int indices[],
                    MPI_Status statuses[]) {
  const Observed observed(Function::Waitsome, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  if (!waits_politely()) {
    return native.Waitsome(incount, requests, outcount, indices, statuses);
  }
  return look_politely([&](bool& found) {
    const int code = native.Testsome(incount, requests, outcount, indices, statuses);
    found = *outcount != 0; // a count, or MPI_UNDEFINED when there is nothing to wait for
    return code;
  });
}

int handle_Test(const CallSite& site, MPI_Request* request, int* flag, MPI_Status* status) {
  const Observed observed(Function::Test, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  const int code = native.Test(request, flag, status);
  looked_in_vain(code == MPI_SUCCESS && *flag == 0);
  return code;
}

int handle_Testall(const CallSite& site, int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  const Observed observed(Function::Testall, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  const int code = native.Testall(count, requests, flag, statuses);
  looked_in_vain(code == MPI_SUCCESS && *flag == 0);
  return code;
}

int handle_Testany(const CallSite& site, int count, MPI_Request requests[], int* index, int* flag,
                   MPI_Status* status) {
  const Observed observed(Function::Testany, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  const int code = native.Testany(count, requests, index, flag, status);
  looked_in_vain(code == MPI_SUCCESS && *flag == 0);
  return code;
}

int handle_Testsome(const CallSite& site, int incount, MPI_Request requests[], int* outcount, int indices[],
                    MPI_Status statuses[]) {
  const Observed observed(Function::Testsome, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  const int code = native.Testsome(incount, requests, outcount, indices, statuses);
  looked_in_vain(code == MPI_SUCCESS && *outcount == 0);
  return code;
}

int handle_Request_get_status(const CallSite& site, MPI_Request request, int* flag, MPI_Status* status) {
  const Observed observed(Function::Request_get_status, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  const int code = native.Request_get_status(request, flag, status);
  looked_in_vain(code == MPI_SUCCESS && *flag == 0);
  return code;
}

int handle_Request_free(const CallSite& site, MPI_Request* request) {
  const Observed observed(Function::Request_free, site, MPI_COMM_NULL, no_bytes);
  return native.Request_free(request);
}

int handle_Start(const CallSite& site, MPI_Request* request) {
  const Observed observed(Function::Start, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  return native.Start(request);
}

int handle_Startall(const CallSite& site, int count, MPI_Request requests[]) {
  const Observed observed(Function::Startall, site, MPI_COMM_NULL, no_bytes);
  progress_executions();
  return native.Startall(count, requests);
}

int handle_Cancel(const CallSite& site, MPI_Request* request) {
  const Observed observed(Function::Cancel, site, MPI_COMM_NULL, no_bytes);
  return native.Cancel(request);
}

} // namespace thalweg::mpi
