// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Nonblocking collectives of the program from their start to the end of their wait, for what the report says
// of time that is hidden behind computation, and for learning: those whose start was timed or measured, a
// bounded number at once.

#include "base/of_process.hpp"
#include "mpi/abi/native.hpp"
#include "mpi/learn/started_calls.hpp"
#include "mpi/observe/call_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace thalweg::mpi {

struct FollowedRequest {
  MPI_Request request{};
  observe::CallRow* row = nullptr; ///< null: free; unreported_row() where the report has none
  std::uint64_t begin_ticks = 0;
  std::uint64_t exposed_ticks = 0;
  MeasuredStart measured = {}; ///< of learning, where it measures the call
  bool is_persistent = false;  ///< its handle stays
};

/// A thread's. An operation that another thread completes stays until its place is taken by another.
struct FollowedRequests {
  static constexpr std::size_t capacity = 16;
  std::array<FollowedRequest, capacity> all{};
  std::size_t used = 0; ///< all beyond are free
  std::size_t next = 0; ///< whose place is taken where none is free
};

/// The call that began the operation took from the first time to the second.
void follow_request(MPI_Request request, observe::CallRow& row, std::uint64_t begin_ticks,
                    std::uint64_t end_ticks);

/// The same for learning, before the report follows the call too. It is here now.
void follow_request(MPI_Request request, const MeasuredStart& measured);
void follow_persistent(MPI_Request request, const MeasuredStart& measured);
/// No call is counted in it.
observe::CallRow& unreported_row();
/// The program has freed the request, and the library may give its handle to another operation.
void forget_request(MPI_Request request);

/// Around a call that waits for requests, or looks at them: what it completes are null behind it.
class RequestWatch {
public:
  RequestWatch(int count, const MPI_Request* requests) {
    if (PerThread<FollowedRequests>::here().used != 0 && requests != nullptr) [[unlikely]]
      begin(count, requests);
  }
  ~RequestWatch() {
    if (watched_ != 0) [[unlikely]]
      end();
  }
  RequestWatch(const RequestWatch&) = delete;
  RequestWatch& operator=(const RequestWatch&) = delete;

private:
  void begin(int count, const MPI_Request* requests);
  void end();

  std::uint32_t watched_ = 0; ///< a bit for each place
  const MPI_Request* requests_;
  std::uint64_t begin_ticks_;
  std::array<int, FollowedRequests::capacity> places_; ///< in the program's array
};

} // namespace thalweg::mpi
