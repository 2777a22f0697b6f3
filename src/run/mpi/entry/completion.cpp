// SPDX-License-Identifier: BSD-3-Clause

// The calls that wait for requests or look at them.
//
// To the library, persistent requests whose operations are our own this time look inactive. It does not get
// to see them until the program has been told that they have completed (requests.hpp).

#include "mpi/comm/own_communicators.hpp"
#include "mpi/entry/entry.hpp"
#include "mpi/entry/followed_requests.hpp"
#include "mpi/run/generalized_requests.hpp"
#include "mpi/run/requests.hpp"
#include "mpi/trace/traced_requests.hpp"

#include <vector>

namespace thalweg::mpi {

namespace {

// The program's array with unfinished operations of ours replaced by MPI_REQUEST_NULL.
class Visible {
public:
  Visible(int count, MPI_Request* requests) : requests_(requests) {
    if (!has_started_persistent())
      return;
    for (int index = 0; index < count; ++index) {
      const bool unfinished = is_unfinished(requests[index]);
      if (unfinished || is_unreported(requests[index])) {
        any_unfinished_ |= unfinished;
        if (shadow_.empty())
          shadow_.assign(requests, requests + count);
        shadow_[static_cast<std::size_t>(index)] = MPI_REQUEST_NULL;
        hidden_.push_back(static_cast<std::size_t>(index));
      }
    }
  }
  ~Visible() {
    if (!any_hidden())
      return;
    for (const std::size_t index : hidden_) {
      shadow_[index] = requests_[index];
    }
    for (std::size_t index = 0; index < shadow_.size(); ++index) {
      requests_[index] = shadow_[index];
    }
  }
  Visible(const Visible&) = delete;
  Visible& operator=(const Visible&) = delete;

  bool any_hidden() const { return !hidden_.empty(); }
  bool any_unfinished() const { return any_unfinished_; }
  const std::vector<std::size_t>& hidden() const { return hidden_; }
  MPI_Request* requests() { return any_hidden() ? shadow_.data() : requests_; }

private:
  MPI_Request* requests_;
  std::vector<MPI_Request> shadow_;
  std::vector<std::size_t> hidden_;
  bool any_unfinished_ = false;
};

// Lets the library progress without looking at anything of the program's.
void progress_library() {
  const MPI_Comm own = own_communicator();
  int found = 0;
  if (own != MPI_COMM_NULL)
    native.Iprobe(0, 0, own, &found, MPI_STATUS_IGNORE);
}

// Looks at one of the library's requests without completing it, so that its progress goes on.
void nudge_library(int count, const MPI_Request* requests) {
  for (int index = 0; index < count; ++index) {
    if (requests[index] == MPI_REQUEST_NULL ||
        (has_generalized() && generalized_state(requests[index]) != GeneralizedState::unknown))
      continue;
    int flag = 0;
    native.Request_get_status(requests[index], &flag, MPI_STATUS_IGNORE);
    return;
  }
  progress_library();
}

// The first persistent operation of ours that has completed without the program's knowing, or -1.
int first_unreported(int count, const MPI_Request* requests) {
  for (int index = 0; has_started_persistent() && index < count; ++index) {
    if (is_unreported(requests[index]))
      return index;
  }
  return -1;
}

// Persistent operations of ours that failed, among requests that one call completes.
class Failures {
public:
  void note(int index, const Ending& ending) {
    if (ending.code != MPI_SUCCESS)
      failed_.emplace_back(index, ending);
  }

  // Tells of them, beside the library's `code` for the others.
  int reported(int code, MPI_Status statuses[]) const {
    for (const auto& [index, ending] : failed_)
      if (statuses != MPI_STATUSES_IGNORE)
        statuses[index].MPI_ERROR = ending.code;
    if (failed_.empty() || code != MPI_SUCCESS)
      return code;
    const Ending& first = failed_.front().second;
    native.Comm_call_errhandler(first.comm, first.code);
    return MPI_ERR_IN_STATUS;
  }

private:
  std::vector<std::pair<int, Ending>> failed_;
};

// The request is over for the library at once, if it is a persistent operation of ours that has completed.
int end_by_library(MPI_Request* request, MPI_Status* status, Ending& ending) {
  if (request != nullptr)
    ending = take_ending(*request);
  return native.Wait(request, status);
}

// Reports a completion to the program.
int report_completion(MPI_Request* request, MPI_Status* status) {
  Ending ending;
  const int code = end_by_library(request, status, ending);
  if (code != MPI_SUCCESS || ending.code == MPI_SUCCESS)
    return code;
  native.Comm_call_errhandler(ending.comm, ending.code);
  return ending.code;
}

// The same as one of several requests, `index` in the statuses of the call.
int report_in_status(MPI_Request* request, MPI_Status statuses[], int index, Failures& failures) {
  Ending ending;
  const bool are_ignored = statuses == MPI_STATUSES_IGNORE;
  const int code = end_by_library(request, are_ignored ? MPI_STATUS_IGNORE : &statuses[index], ending);
  if (!are_ignored)
    statuses[index].MPI_ERROR = code;
  failures.note(index, ending);
  return code;
}

// All of ours among requests that have completed, beside the library's `code` for the others.
int report_ours(const std::vector<std::size_t>& ours, MPI_Request requests[], MPI_Status statuses[],
                int code) {
  Failures failures;
  for (const std::size_t index : ours)
    report_in_status(&requests[index], statuses, static_cast<int>(index), failures);
  return failures.reported(code, statuses);
}

int test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (has_started_persistent() && is_unfinished(*request)) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  if (has_started_persistent() && is_unreported(*request)) {
    *flag = 1;
    return report_completion(request, status);
  }
  return native.Test(request, flag, status);
}

int testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  std::vector<std::size_t> ours;
  int code = MPI_SUCCESS;
  {
    Visible visible(count, requests);
    if (visible.any_unfinished()) {
      nudge_library(count, visible.requests());
      *flag = 0;
      return MPI_SUCCESS;
    }
    code = native.Testall(count, visible.requests(), flag, statuses);
    ours = visible.hidden();
  }
  return *flag == 0 ? code : report_ours(ours, requests, statuses, code);
}

// Of requests that have all completed: the library is to see none of its own that it has not started.
int report_all(int count, MPI_Request requests[], MPI_Status statuses[]) {
  std::vector<std::size_t> ours;
  const int code = [&] {
    Visible visible(count, requests);
    ours = visible.hidden();
    return native.Waitall(count, visible.requests(), statuses);
  }();
  return report_ours(ours, requests, statuses, code);
}

// Waits until the request has completed, which the library is told by the program's own call.
int poll_completion(MPI_Request request) {
  return poll([&](bool& found) -> int {
    if (has_started_persistent() && (is_unfinished(request) || is_unreported(request))) {
      found = !is_unfinished(request);
      return MPI_SUCCESS;
    }
    const GeneralizedState generalized =
        has_generalized() ? generalized_state(request) : GeneralizedState::unknown;
    if (generalized != GeneralizedState::unknown) {
      found = generalized == GeneralizedState::complete;
      if (!found)
        progress_library();
      return MPI_SUCCESS;
    }
    int flag = 0;
    const int code = native.Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    found = flag != 0;
    return code;
  });
}

// Waits by `look(flag)`, which tests: the request is completed by it.
template <typename Look>
int poll_tests(Look look) {
  return poll([&](bool& found) {
    int flag = 0;
    const int code = look(&flag);
    found = flag != 0;
    return code;
  });
}

// The library takes an array with nothing to wait for as complete; it is not while something is hidden.
int testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  if (const int ours = first_unreported(count, requests); ours >= 0) {
    *index = ours;
    *flag = 1;
    return report_completion(&requests[ours], status);
  }
  Visible visible(count, requests);
  const int code = native.Testany(count, visible.requests(), index, flag, status);
  if (visible.any_hidden() && *flag != 0 && *index == MPI_UNDEFINED)
    *flag = 0;
  return code;
}

int testsome(int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]) {
  if (const int ours = first_unreported(incount, requests); ours >= 0) {
    *outcount = 1;
    indices[0] = ours;
    Failures failures;
    const int code = report_in_status(&requests[ours], statuses, 0, failures);
    return failures.reported(code, statuses);
  }
  Visible visible(incount, requests);
  const int code = native.Testsome(incount, visible.requests(), outcount, indices, statuses);
  if (visible.any_hidden() && *outcount == MPI_UNDEFINED)
    *outcount = 0;
  return code;
}

} // namespace

int handle_Wait(const CallSite& site, MPI_Request* request, MPI_Status* status) {
  const CallObserver observer(Function::Wait, site, MPI_COMM_NULL, no_bytes, of_reports_and_traces);
  const RequestWatch watch(1, request);
  progress_in_call();
  const GeneralizedRequests generalized(1, request);
  WaitedRequests waited(1, request);
  status = waited.status(status);
  if (must_poll_requests() && request != nullptr) {
    if (must_test_requests())
      return waited.one(poll_tests([&](int* flag) { return test(request, flag, status); }), 0, status);
    if (const int code = poll_completion(*request); code != MPI_SUCCESS)
      return waited.one(code, 0, status);
  }
  return waited.one(report_completion(request, status), 0, status);
}

int handle_Waitall(const CallSite& site, int count, MPI_Request requests[], MPI_Status statuses[]) {
  const CallObserver observer(Function::Waitall, site, MPI_COMM_NULL, no_bytes, of_reports_and_traces);
  const RequestWatch watch(count, requests);
  progress_in_call();
  const GeneralizedRequests generalized(count, requests);
  WaitedRequests waited(count, requests);
  statuses = waited.statuses(statuses);
  if (must_poll_requests() && must_test_requests())
    return waited.all(poll_tests([&](int* flag) { return testall(count, requests, flag, statuses); }),
                      statuses);
  for (int index = 0; must_poll_requests() && index < count; ++index) {
    if (const int code = poll_completion(requests[index]); code != MPI_SUCCESS)
      return waited.all(code, statuses);
  }
  const int code = has_started_persistent() ? report_all(count, requests, statuses)
                                            : native.Waitall(count, requests, statuses);
  return waited.all(code, statuses);
}

int handle_Waitany(const CallSite& site, int count, MPI_Request requests[], int* index, MPI_Status* status) {
  const CallObserver observer(Function::Waitany, site, MPI_COMM_NULL, no_bytes, of_reports_and_traces);
  const RequestWatch watch(count, requests);
  progress_in_call();
  const GeneralizedRequests generalized(count, requests);
  WaitedRequests waited(count, requests);
  status = waited.status(status);
  if (!must_poll_requests() && !has_started_persistent())
    return waited.one(native.Waitany(count, requests, index, status), *index, status);
  const int ended = poll_tests([&](int* flag) { return testany(count, requests, index, flag, status); });
  return waited.one(ended, *index, status);
}

int handle_Waitsome(const CallSite& site, int incount, MPI_Request requests[], int* outcount, int indices[],
                    MPI_Status statuses[]) {
  const CallObserver observer(Function::Waitsome, site, MPI_COMM_NULL, no_bytes, of_reports_and_traces);
  const RequestWatch watch(incount, requests);
  progress_in_call();
  const GeneralizedRequests generalized(incount, requests);
  WaitedRequests waited(incount, requests);
  statuses = waited.statuses(statuses);
  if (!must_poll_requests() && !has_started_persistent()) {
    return waited.some(native.Waitsome(incount, requests, outcount, indices, statuses), *outcount, indices,
                       statuses);
  }
  const int ended = poll([&](bool& found) {
    const int code = testsome(incount, requests, outcount, indices, statuses);
    found = *outcount != 0; // a count, or MPI_UNDEFINED when there is nothing to wait for
    return code;
  });
  return waited.some(ended, *outcount, indices, statuses);
}

int handle_Test(const CallSite& site, MPI_Request* request, int* flag, MPI_Status* status) {
  const CallObserver observer(Function::Test, site, MPI_COMM_NULL, no_bytes, of_reports_and_traces);
  const RequestWatch watch(1, request);
  progress_in_call();
  const GeneralizedRequests generalized(1, request);
  WaitedRequests waited(1, request);
  status = waited.status(status);
  const int code = test(request, flag, status);
  waited.one(code, *flag != 0 ? 0 : MPI_UNDEFINED, status);
  looked_in_vain(code == MPI_SUCCESS && *flag == 0);
  return code;
}

int handle_Testall(const CallSite& site, int count, MPI_Request requests[], int* flag,
                   MPI_Status statuses[]) {
  const CallObserver observer(Function::Testall, site, MPI_COMM_NULL, no_bytes, of_reports_and_traces);
  const RequestWatch watch(count, requests);
  progress_in_call();
  const GeneralizedRequests generalized(count, requests);
  WaitedRequests waited(count, requests);
  statuses = waited.statuses(statuses);
  const int code = testall(count, requests, flag, statuses);
  if (*flag != 0)
    waited.all(code, statuses);
  looked_in_vain(code == MPI_SUCCESS && *flag == 0);
  return code;
}

int handle_Testany(const CallSite& site, int count, MPI_Request requests[], int* index, int* flag,
                   MPI_Status* status) {
  const CallObserver observer(Function::Testany, site, MPI_COMM_NULL, no_bytes, of_reports_and_traces);
  const RequestWatch watch(count, requests);
  progress_in_call();
  const GeneralizedRequests generalized(count, requests);
  WaitedRequests waited(count, requests);
  status = waited.status(status);
  const int code = testany(count, requests, index, flag, status);
  waited.one(code, *flag != 0 ? *index : MPI_UNDEFINED, status);
  looked_in_vain(code == MPI_SUCCESS && *flag == 0);
  return code;
}

int handle_Testsome(const CallSite& site, int incount, MPI_Request requests[], int* outcount, int indices[],
                    MPI_Status statuses[]) {
  const CallObserver observer(Function::Testsome, site, MPI_COMM_NULL, no_bytes, of_reports_and_traces);
  const RequestWatch watch(incount, requests);
  progress_in_call();
  const GeneralizedRequests generalized(incount, requests);
  WaitedRequests waited(incount, requests);
  statuses = waited.statuses(statuses);
  const int code = testsome(incount, requests, outcount, indices, statuses);
  waited.some(code, *outcount, indices, statuses);
  looked_in_vain(code == MPI_SUCCESS && *outcount == 0);
  return code;
}

int handle_Request_get_status(const CallSite& site, MPI_Request request, int* flag, MPI_Status* status) {
  const CallObserver observer(Function::Request_get_status, site, MPI_COMM_NULL, no_bytes,
                              of_reports_and_traces);
  progress_in_call();
  if (has_started_persistent() && is_unfinished(request)) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  const int code = native.Request_get_status(request, flag, status);
  if (has_started_persistent() && is_unreported(request))
    *flag = 1;
  looked_in_vain(code == MPI_SUCCESS && *flag == 0);
  return code;
}

} // namespace thalweg::mpi
