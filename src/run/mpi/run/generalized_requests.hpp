// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Generalized requests of the program.

#include "mpi/abi/native.hpp"
#include "mpi/state/process_state.hpp"

#include <atomic>
#include <utility>
#include <vector>

namespace thalweg::mpi {

/// Are there any?
///
/// Each look at the status of one that is complete calls the program's query function, and where that fails,
/// Open MPI takes the request for one that went wrong. So waits of ours look at none: they know from the
/// program's own MPI_Grequest_complete, and the call that completes the request calls the function once.
inline bool has_generalized() {
  return process.counts.generalized_requests.load(std::memory_order_relaxed) > 0;
}

enum class GeneralizedState { unknown, pending, complete };
/// What a request is; `unknown` for what is no generalized request, or was begun by a library.
GeneralizedState generalized_state(MPI_Request request) noexcept;

void generalized_begun(MPI_Request request);
/// Before the library is told, after which the handle may be another request's.
void generalized_completed(MPI_Request request) noexcept;
void generalized_freed(MPI_Request request) noexcept;

/// The generalized requests of a call that may complete them. At its end, those that it completed are known
/// no longer.
class GeneralizedRequests {
public:
  GeneralizedRequests(int count, const MPI_Request* requests) : requests_(requests) {
    if (has_generalized() && requests != nullptr) [[unlikely]]
      keep(count);
  }
  ~GeneralizedRequests() {
    for (const auto& [index, request] : known_)
      if (requests_[index] != request)
        generalized_freed(request);
  }
  GeneralizedRequests(const GeneralizedRequests&) = delete;
  GeneralizedRequests& operator=(const GeneralizedRequests&) = delete;

private:
  void keep(int count);

  const MPI_Request* requests_;
  std::vector<std::pair<int, MPI_Request>> known_;
};

} // namespace thalweg::mpi
