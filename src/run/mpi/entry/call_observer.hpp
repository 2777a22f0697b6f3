// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One call of the program, from its entry to its exit, as a frame inside of ours: counted and timed for the
// report, and notified to whoever keeps account of calls once it has ended.

#include "mpi/call/call_event.hpp"
#include "mpi/call/datatypes.hpp"
#include "mpi/entry/counted_calls.hpp"
#include "mpi/entry/startup.hpp"
#include "mpi/observe/call_table.hpp"
#include "mpi/observe/stopwatch.hpp"
#include "mpi/record/messages.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/trace/followed_span.hpp"
#include "mpi/trace/traced_calls.hpp"

#include <cstdint>
#include <type_traits>

namespace thalweg::mpi {

inline observe::CallRow& call_row(Function function, const CallSite& site, int ranks) {
  return observe::call_table().row(
      {observe::program_site(site), static_cast<std::uint16_t>(function), process.observation.phase, ranks});
}

/// Notifies all who keep account of calls. Gives a counter for further calls like this one, of which then
/// nobody need be notified, or null.
std::uint64_t* notify(const CallEvent& event);

class CallObserver {
public:
  /// Calls that move nothing of the program's are no business of the record's.
  enum class Interest { of_all, of_reports_and_traces };

  /// `bytes` is called for the payload's size, if it is wanted. `datatype`: of the payload, if calls may be
  /// counted by it.
  template <typename Bytes>
  [[gnu::always_inline]] CallObserver(Function function, const CallSite& site, MPI_Comm comm, Bytes bytes,
                                      Interest interest = Interest::of_all, MPI_Datatype datatype = {})
      : function_(function), site_(site), comm_(comm), datatype_(datatype),
        is_recorded_(interest == Interest::of_all) {
    if (!runtime.ready) [[unlikely]] {
      start_late();
    }
    if (process.observation.is_on &&
        (is_recorded_ || process.observation.reports || process.observation.traces))
      enter(bytes);
  }
  /// Gives MPI's code. `content` is called, with the payload's bytes, for what the call did, where it has
  /// ended well and somebody wants to know.
  template <typename Content>
  [[gnu::always_inline]] int ended(int code, Content content) {
    if (row_ == nullptr || code != MPI_SUCCESS)
      return code;
    if constexpr (std::is_same_v<std::invoke_result_t<Content, std::uint64_t>, MessageCall>) {
      if (!process.observation.traces && process.observation.messages && is_recorded_) [[likely]] {
        watch_.stop(*row_);
        count_message(content(payload_));
        return code;
      }
    }
    if (process.observation.traces || (process.observation.messages && is_recorded_))
      notify_of(content(payload_));
    return code;
  }
  /// A status that says whose message was received, where the program wants none and calls are traced.
  MPI_Status* status_of(MPI_Status* status, MPI_Status& own) const {
    return process.observation.traces && row_ != nullptr && status == MPI_STATUS_IGNORE ? &own : status;
  }
  /// The call, which names no communicator, receives a message that was found before on one.
  void receives_found(MPI_Message message) {
    if (process.observation.traces && row_ != nullptr) [[unlikely]]
      communicator_ = traced_finder(message);
  }
  ~CallObserver() {
    if (row_ != nullptr) {
      watch_.stop(*row_);
      if (process.observation.traces) [[unlikely]]
        follow_exit();
      if (row_->untimed_left != 0 && Passage::is(process.passage.now(), Way::counted))
        remember_counted(function_, site_, comm_, datatype_, *row_);
    }
  }
  CallObserver(const CallObserver&) = delete;
  CallObserver& operator=(const CallObserver&) = delete;

private:
  template <typename Bytes>
  void enter(Bytes bytes) {
    if (process.observation.traces) [[unlikely]]
      follow_entry();
    communicator_ = find_communicator(comm_);
    row_ = &call_row(function_, site_, communicator_ == nullptr ? 0 : communicator_->size);
    payload_ = bytes();
    row_->counts.add_size(payload_);
    if (process.observation.traces) [[unlikely]]
      follow_call(*row_, payload_);
    if (process.observation.reports) [[likely]]
      watch_.start(*row_, false);
  }
  /// The commonest content goes the short way.
  [[gnu::always_inline]] void count_message(const MessageCall& message) {
    if (!message.sends || communicator_ == nullptr)
      return;
    if (message.is_persistent)
      record_persistent_message(*row_, *communicator_, message.sends->to, message.sends->bytes,
                                *message.request);
    else
      record_message(*row_, *communicator_, message.sends->to, message.sends->bytes);
  }
  /// What others note takes none of the call's time.
  void notify_of(const CallContent& content) {
    watch_.stop(*row_);
    notify({communicator_, *row_, content});
  }

  Inside inside_;
  Function function_;
  CallSite site_;
  MPI_Comm comm_;
  MPI_Datatype datatype_;
  observe::CallRow* row_ = nullptr;
  CommunicatorState* communicator_ = nullptr;
  std::uint64_t payload_ = 0;
  bool is_recorded_;
  observe::Stopwatch watch_;
};

} // namespace thalweg::mpi
