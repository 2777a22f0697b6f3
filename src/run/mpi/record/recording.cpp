// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/record/recording.hpp"

#include "mpi/comm/gathering.hpp"
#include "mpi/record/collectives.hpp"
#include "mpi/record/joined_recording.hpp"
#include "mpi/record/messages.hpp"
#include "mpi/record/pattern_store.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/state/runtime.hpp"
#include "pattern/recording.hpp"

#include <cstdint>
#include <exception>
#include <vector>

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
    if (!process.observation.traffic)
      return nullptr;
    return record_collective(*run.call, *event.communicator, event.row, run.plan, run.choice);
  }
  template <typename Other>
  std::uint64_t* operator()(const Other&) const {
    return nullptr; // moves nothing
  }
};

} // namespace

std::uint64_t* record_ended(const CallEvent& event) {
  return std::visit(Recorder{event}, event.content);
}

namespace {

KeptPattern keep_joined(const std::vector<std::vector<std::uint8_t>>& ranks) {
  pattern::Recording recorded = join_recorded(ranks);
  recorded.seconds = 1e-9 * static_cast<double>(observe::monotonic_ns() - runtime.start_ns);
  const std::string file = pattern_file(runtime.settings.patterns, runtime.world.size);
  keep_file("pattern", file, to_text(recorded));
  return describe_recorded(recorded, file);
}

} // namespace

KeptPattern keep_pattern() {
  if (!runtime.world.agreed || !process.observation.traffic)
    return {};
  add_counted_collectives();
  const std::vector<std::vector<std::uint8_t>> ranks = gather_bytes(pack_recorded(function_names));
  if (runtime.world.rank != 0)
    return {};
  try {
    return keep_joined(ranks);
  } catch (const std::exception& error) {
    log_line(error.what()); // the others go on to the report
    return {};
  }
}

} // namespace thalweg::mpi
