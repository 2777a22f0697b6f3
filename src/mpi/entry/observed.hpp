#pragma once

// Records one call of the program, from its entry to its exit, as a frame inside of ours.

#include <cstdint>
#include <limits>

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
#include "mpi/trace/call_log.hpp"
#include "mpi/trace/traced_messages.hpp"

namespace thalweg::mpi {

inline observe::CallRow& call_row(Function function, const CallSite& site, int ranks) {
  return observe::call_table().row(
      {observe::program_site(site), static_cast<std::uint16_t>(function), phase, ranks});
}

// No message of the program's begins in the call.
inline constexpr int no_destination = MPI_PROC_NULL;
// Nor is one prepared: the call concerns reports and traces alone. Is no rank either.
inline constexpr int sends_nothing = std::numeric_limits<int>::min();

class Observed {
public:
  // `bytes` is called for the payload's size, if it is wanted.
  template <class Bytes>
  [[gnu::always_inline]] Observed(Function function, const CallSite& site, MPI_Comm comm, Bytes bytes,
                                  int destination = no_destination) {
    if (!runtime.ready) [[unlikely]] {
      start_late();
    }
    if (recording && (destination != sends_nothing || reports || traces))
      enter(function, site, comm, bytes, destination);
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
  // Gives MPI's code, after calling `trace` with the communicator and the call's bytes where the call has
  // ended well and is traced.
  template <class Trace>
  int traced(int code, Trace trace) const {
    if (traces && row_ != nullptr && code == MPI_SUCCESS && communicator_ != nullptr) [[unlikely]]
      trace(*communicator_, payload_);
    return code;
  }
  // A status that says whose message was received, where the program wants none and calls are traced.
  MPI_Status* status_of(MPI_Status* status, MPI_Status& own) const {
    return traces && row_ != nullptr && status == MPI_STATUS_IGNORE ? &own : status;
  }
  // Of messages that were found before they are received: the communicator; null where nothing is traced.
  CommunicatorState* finder_of(MPI_Message message) const {
    return traces && row_ != nullptr ? traced_finder(message) : nullptr;
  }
  int received(int code, CommunicatorState* finder, const MPI_Status* status) const {
    if (finder != nullptr && code == MPI_SUCCESS) [[unlikely]]
      trace_receive(*finder, {status->MPI_SOURCE, status->MPI_TAG}, *status);
    return code;
  }
  int begun(int code, CommunicatorState* finder, const MPI_Request* request) const {
    if (finder != nullptr && code == MPI_SUCCESS) [[unlikely]]
      trace_begun(*finder, AskedReceive{MPI_ANY_SOURCE, MPI_ANY_TAG}, *request);
    return code;
  }
  // The same for calls that name no communicator.
  template <class Trace>
  int traced_alone(int code, Trace trace) const {
    if (traces && row_ != nullptr && code == MPI_SUCCESS) [[unlikely]]
      trace();
    return code;
  }
  ~Observed() {
    if (row_ != nullptr) {
      watch_.stop(*row_);
      if (traces) [[unlikely]]
        call_log().leave();
    }
  }
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;

private:
  template <class Bytes>
  void enter(Function function, const CallSite& site, MPI_Comm comm, Bytes bytes, int destination) {
    if (traces) [[unlikely]]
      call_log().enter();
    communicator_ = find_communicator(comm);
    row_ = &call_row(function, site, communicator_ == nullptr ? 0 : communicator_->size);
    payload_ = bytes();
    row_->bytes += payload_;
    if (records_traffic && communicator_ != nullptr)
      record_message(*row_, *communicator_, destination, payload_);
    if (reports) [[likely]]
      watch_.start(*row_, false);
  }

  Inside inside_;
  observe::CallRow* row_ = nullptr;
  CommunicatorState* communicator_ = nullptr;
  std::uint64_t payload_ = 0;
  observe::Stopwatch watch_;
};

} // namespace thalweg::mpi
