// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/entry/followed_requests.hpp"

#include "base/assertion.hpp"
#include "mpi/observe/ticks.hpp"
#include "mpi/run/requests.hpp"
#include "mpi/state/runtime.hpp"

#include <algorithm>
#include <span>

namespace thalweg::mpi {

observe::CallRow& unreported_row() {
  return of_process<observe::CallRow>();
}

namespace {

// What is followed of the request from now on.
FollowedRequest& place_of(MPI_Request request) {
  FollowedRequests& followed = PerThread<FollowedRequests>::own();
  auto place = std::ranges::find_if(
      followed.all, [&](const FollowedRequest& one) { return one.row == nullptr || one.request == request; });
  if (place == followed.all.end()) {
    place = followed.all.begin() + static_cast<std::ptrdiff_t>(followed.next);
    followed.next = (followed.next + 1) % FollowedRequests::capacity;
  }
  followed.used = std::max(followed.used, static_cast<std::size_t>(place - followed.all.begin()) + 1);
  return *place;
}

double seconds_of(std::uint64_t ticks) {
  return 1e-9 * runtime.tick_scale.ns_so_far(ticks);
}

// A persistent request that has completed counts as over before the program is told, which takes no more
// time.
bool is_over(const FollowedRequest& one, MPI_Request now) {
  if (now == MPI_REQUEST_NULL || !one.is_persistent)
    return now == MPI_REQUEST_NULL;
  int flag = 0;
  return !is_unfinished(one.request) &&
         native.Request_get_status(one.request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag != 0;
}

} // namespace

// A handle that is there already was completed elsewhere, but for that of a call that was measured just now.
void follow_request(MPI_Request request, observe::CallRow& row, std::uint64_t begin_ticks,
                    std::uint64_t end_ticks) {
  if (request == MPI_REQUEST_NULL)
    return;
  FollowedRequest& place = place_of(request);
  const bool is_kept =
      place.row != nullptr && place.request == request && place.measured.begin_ticks >= begin_ticks;
  if (place.measured.figures != nullptr && !is_kept) [[unlikely]]
    place.measured.figures = nullptr;
  place.request = request;
  place.is_persistent = false;
  place.row = &row;
  place.begin_ticks = begin_ticks;
  place.exposed_ticks = end_ticks - begin_ticks;
}

void follow_request(MPI_Request request, const MeasuredStart& measured) {
  if (request != MPI_REQUEST_NULL)
    place_of(request) = {request, &unreported_row(), measured.begin_ticks,
                         observe::ticks() - measured.begin_ticks, measured};
}

void follow_persistent(MPI_Request request, const MeasuredStart& measured) {
  forget_request(request); // its last start, which another thread may have completed
  follow_request(request, measured);
  place_of(request).is_persistent = true;
}

void forget_request(MPI_Request request) {
  FollowedRequests& followed = PerThread<FollowedRequests>::own();
  for (FollowedRequest& one : std::span(followed.all).first(followed.used))
    if (one.request == request)
      one.row = nullptr;
}

void RequestWatch::begin(int count, const MPI_Request* requests) {
  const FollowedRequests& followed = PerThread<FollowedRequests>::here();
  for (std::size_t index = 0; index < followed.used; ++index) {
    const FollowedRequest& one = followed.all[index];
    if (one.row == nullptr)
      continue;
    for (int place = 0; place < count; ++place) {
      if (requests[place] == one.request) {
        places_[index] = place;
        watched_ |= 1U << index;
        break;
      }
    }
  }
  if (watched_ != 0) {
    requests_ = requests;
    begin_ticks_ = observe::ticks();
  }
}

void RequestWatch::end() {
  const std::uint64_t now = observe::ticks();
  FollowedRequests& followed = PerThread<FollowedRequests>::own();
  for (std::size_t index = 0; index < followed.used; ++index) {
    FollowedRequest& one = followed.all[index];
    if ((watched_ >> index & 1U) == 0)
      continue;
    THALWEG_ASSERT(light, one.row != nullptr);
    one.exposed_ticks += now - begin_ticks_;
    if (!is_over(one, requests_[places_[index]]))
      continue;
    const bool is_measured = one.measured.figures != nullptr;
    if (is_measured) [[unlikely]] {
      one.measured.figures->ended(one.measured.generation, one.measured.call, seconds_of(one.exposed_ticks));
      one.measured.figures = nullptr;
    }
    if (!is_measured || one.row != &unreported_row()) {
      ++one.row->followed;
      one.row->in_flight_ticks += now - one.begin_ticks;
      one.row->exposed_ticks += one.exposed_ticks;
    }
    one.row = nullptr;
  }
  while (followed.used > 0 && followed.all[followed.used - 1].row == nullptr)
    --followed.used;
}

} // namespace thalweg::mpi
