#pragma once

// Records one call of the program, from its entry to its exit, and keeps our depth raised in between.

#include <cstdint>

#include "mpi/call/datatypes.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/entry/startup.hpp"
#include "mpi/observe/bindings.hpp"
#include "mpi/observe/call_site.hpp"
#include "mpi/observe/call_table.hpp"
#include "mpi/observe/stopwatch.hpp"
#include "mpi/record/messages.hpp"
#include "mpi/record/one_sided.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/state/recording.hpp"
#include "mpi/state/runtime.hpp"

namespace thalweg::mpi {

inline observe::CallRow& call_row(Function function, const CallSite& site, int ranks) {
  return observe::call_table().row(
      {observe::program_site(site), static_cast<std::uint16_t>(function), phase, ranks});
}

// No message of the program's begins in the call.
inline constexpr int no_destination = MPI_PROC_NULL;

class Observed {
public:
  // `bytes` is called for the payload's size, if it is wanted.
  template <class Bytes>
  Observed(Function function, const CallSite& site, MPI_Comm comm, Bytes bytes,
           int destination = no_destination) {
    ++depth;
    if (!runtime.ready) [[unlikely]] {
      start_late();
    }
    if (recording) [[likely]] {
      communicator_ = find_communicator(comm);
      row_ = &call_row(function, site, communicator_ == nullptr ? 0 : communicator_->size);
      const std::uint64_t payload = bytes();
      row_->bytes += payload;
      if (records_traffic && communicator_ != nullptr)
        record_message(*row_, *communicator_, destination, payload);
      watch_.start(*row_, false);
    }
  }
  // The call has made a persistent request that sends so much.
  void made_persistent(int destination, std::uint64_t bytes, MPI_Request request) const {
    if (row_ != nullptr && records_traffic && communicator_ != nullptr)
      record_persistent_message(*row_, *communicator_, destination, bytes, request);
  }
  // The call writes and reads so much of the memory of a rank of the window.
  void reaches(MPI_Win window, int target, std::uint64_t written, std::uint64_t read) const {
    if (row_ != nullptr && records_traffic)
      record_one_sided(*row_, window, target, written, read);
  }
  ~Observed() {
    if (row_ != nullptr) {
      watch_.stop(*row_);
    }
    --depth;
  }
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;

private:
  observe::CallRow* row_ = nullptr;
  const CommunicatorState* communicator_ = nullptr;
  observe::Stopwatch watch_;
};

} // namespace thalweg::mpi
