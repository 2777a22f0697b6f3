// SPDX-License-Identifier: BSD-3-Clause

// thalweg/request.h

#include "boundary/request.hpp"

#include "boundary/guarded.hpp"

#include <cstddef>

namespace {

using thalweg::boundary::Caller;
using thalweg::boundary::guarded;
using thalweg::boundary::must_be_given;

Caller caller(const char* call, thalweg_request* const* request) {
  if (request == nullptr || *request == nullptr)
    return {.call = call};
  return {.call = call, .rank = (*request)->rank(), .ranks = (*request)->ranks()};
}

void free(thalweg_request*& request) {
  delete request;
  request = nullptr;
}

void wait(thalweg_request*& request) {
  if (request != nullptr)
    request->wait();
  free(request);
}

} // namespace

extern "C" {

thalweg_status thalweg_request_test(thalweg_request** request, int* finished) {
  return guarded(caller("test", request), [&] {
    must_be_given(request, "request");
    must_be_given(finished, "finished");
    *finished = *request == nullptr || (*request)->test() ? 1 : 0;
    if (*finished != 0)
      free(*request);
  });
}

thalweg_status thalweg_request_wait(thalweg_request** request) {
  return guarded(caller("wait", request), [&] {
    must_be_given(request, "request");
    wait(*request);
  });
}

thalweg_status thalweg_request_wait_all(size_t count, thalweg_request* requests[]) {
  if (count > 0 && requests == nullptr)
    return guarded({.call = "wait_all"}, [&] { must_be_given(requests, "requests"); });
  for (std::size_t index = 0; index < count; ++index) {
    const thalweg_status status =
        guarded(caller("wait_all", &requests[index]), [&] { wait(requests[index]); });
    if (status != thalweg_success)
      return status;
  }
  return thalweg_success;
}

thalweg_status thalweg_request_free(thalweg_request** request) {
  return guarded(caller("free", request), [&] {
    must_be_given(request, "request");
    free(*request);
  });
}

} // extern "C"
