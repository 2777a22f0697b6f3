// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/record/listener.hpp"

#include "mpi/record/collectives.hpp"
#include "mpi/record/messages.hpp"
#include "mpi/record/one_sided.hpp"

namespace thalweg::mpi {

namespace {

struct Recorder {
  const CallEvent& event;

  std::uint64_t* operator()(const MessageCall& message) const {
    if (!message.sends || event.communicator == nullptr)
      return nullptr;
    const SendArguments& sends = *message.sends;
    if (message.is_persistent)
      record_persistent_message(event.row, *event.communicator, sends.to, sends.bytes, *message.request);
    else
      record_message(event.row, *event.communicator, sends.to, sends.bytes);
    return nullptr;
  }
  std::uint64_t* operator()(const RemoteAccess& access) const {
    record_one_sided(event.row, access.window, access.target, access.written, access.read);
    return nullptr;
  }
  std::uint64_t* operator()(const CollectiveRun& run) const {
    return record_collective(*run.call, *event.communicator, event.row, run.plan, run.choice);
  }
  template <class Other>
  std::uint64_t* operator()(const Other&) const {
    return nullptr; // moves nothing
  }
};

} // namespace

std::uint64_t* record_ended(const CallEvent& event) {
  return std::visit(Recorder{event}, event.content);
}

} // namespace thalweg::mpi
