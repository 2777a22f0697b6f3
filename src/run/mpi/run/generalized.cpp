// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/generalized.hpp"
#include "base/of_process.hpp"

#include <mutex>
#include <unordered_map>

namespace thalweg::mpi {

namespace {

struct Begun {
  std::mutex mutex;
  std::unordered_map<MPI_Request, bool> is_complete;
};

Begun& begun_here() {
  return of_process<Begun>();
}

} // namespace

Generalized generalized_state(MPI_Request request) noexcept {
  const std::lock_guard lock(begun_here().mutex);
  const auto entry = begun_here().is_complete.find(request);
  if (entry == begun_here().is_complete.end())
    return Generalized::unknown;
  return entry->second ? Generalized::complete : Generalized::pending;
}

void generalized_begun(MPI_Request request) {
  const std::lock_guard lock(begun_here().mutex);
  if (begun_here().is_complete.insert_or_assign(request, false).second)
    process.counts.generalized_requests.fetch_add(1, std::memory_order_relaxed);
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
    process.counts.generalized_requests.fetch_sub(1, std::memory_order_relaxed);
}

void GeneralizedRequests::keep(int count) {
  for (int index = 0; requests_ != nullptr && index < count; ++index)
    if (generalized_state(requests_[index]) != Generalized::unknown)
      known_.emplace_back(index, requests_[index]);
}

} // namespace thalweg::mpi
