// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/generalized_requests.hpp"

#include "base/of_process.hpp"

#include <mutex>
#include <unordered_map>

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

} // namespace thalweg::mpi
