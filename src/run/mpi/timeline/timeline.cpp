// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/timeline/timeline.hpp"

#include "base/of_process.hpp"
#include "mpi/call/operation_shape.hpp"
#include "mpi/observe/locations.hpp"
#include "mpi/observe/ticks.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/timeline/event_memory.hpp"
#include "mpi/timeline/timeline_requests.hpp"

#include <array>
#include <cstdlib>
#include <mutex>
#include <unistd.h>
#include <unordered_map>

namespace thalweg::mpi::timeline {

namespace {

struct ThreadCalls {
  static constexpr std::size_t depth_max = 8; // those deeper are left out
  std::size_t depth;
  std::array<Event, depth_max> calls; // those that this thread is in: what is known of them so far
};

Event* innermost() {
  auto& own = PerThread<ThreadCalls>::own();
  return own.depth == 0 || own.depth > ThreadCalls::depth_max ? nullptr : &own.calls[own.depth - 1];
}

struct Texts {
  std::mutex mutex;
  std::unordered_map<const char*, std::uint32_t> numbers; // of texts that live as long as the process
};

std::int32_t number_of_text(const char* text) {
  auto& all = of_process<Texts>();
  const std::lock_guard lock(all.mutex);
  const auto [place, is_new] = all.numbers.try_emplace(text, 0);
  if (is_new)
    place->second = event_memory().define_text(text);
  return static_cast<std::int32_t>(place->second);
}

std::uint32_t number_of(observe::CallRow& row) {
  if (row.timeline_number == 0) [[unlikely]] {
    const observe::Location place = observe::locate(row.key.site);
    row.timeline_number = event_memory().define_call({.function = function_names[row.key.function],
                                                      .module = place.module,
                                                      .address = place.address,
                                                      .python_function = place.function,
                                                      .phase = row.key.phase,
                                                      .is_own = observe::is_in_own_library(place)});
  }
  return row.timeline_number;
}

std::uint32_t number_of(CommunicatorState& communicator) {
  if (communicator.timeline_number == 0) [[unlikely]]
    communicator.timeline_number = event_memory().define_communicator(
        communicator.id, communicator.world_ranks(), communicator.handle == runtime.world.communicator);
  return communicator.timeline_number;
}

// Takes down what a call was, in the event of this thread's innermost one.
struct Content {
  Event& call;
  CommunicatorState* communicator;

  void operator()(const MessageCall& message) const {
    if (communicator != nullptr)
      note_messages(*communicator, number_of(*communicator), message, call);
  }
  void operator()(const CollectiveRun& run) const {
    const bool is_ours = run.plan != nullptr || std::string_view(run.implementation) != "native";
    call.tag = number_of_text(is_ours ? run.implementation : "native");
    call.peer = is_rooted(run.call->function->operation) ? run.call->root : -1;
    if (is_among_neighbors(run.call->function->operation))
      call.sequence = 0; // its ranks wait for their neighbors alone
    if (run.call->function->mode != Mode::blocking)
      note_request(*run.call->request, run.call->function->mode == Mode::persistent, call);
  }
  void operator()(const Meeting&) const {
    if (communicator == nullptr || communicator->inter)
      return;
    call.kind = static_cast<std::uint64_t>(EventKind::meeting);
    call.communicator = number_of(*communicator);
    call.sequence = ++communicator->timeline_calls;
  }
  void operator()(const RemoteAccess& access) const { call.bytes = access.written + access.read; }
  void operator()(const ProbedMessage&) const {}
  void operator()(const WindowCall&) const {}
  void operator()(const std::monostate&) const {}
};

} // namespace

bool begin() {
  EventMemory& memory = event_memory();
  constexpr std::size_t mebibyte = std::size_t{1} << 20U;
  const double offset_ns = clock_offset_ns();
  if (!memory.open(std::getenv("THALWEG_TIMELINE_MEMORY"), runtime.settings.timeline + ".parts",
                   runtime.settings.timeline_size * mebibyte))
    return false;
  Head& head = *memory.head();
  const int rank = runtime.world.rank;
  head.rank = rank;
  head.ranks = runtime.world.size;
  head.node = runtime.world.placement.nodes[static_cast<std::size_t>(rank)];
  head.pid = getpid();
  head.offset_ns = offset_ns;
  gethostname(head.host, sizeof head.host - 1);
  head.start_ns = head.latest_ns = observe::monotonic_ns();
  head.start_ticks = head.latest_ticks = observe::ticks();
  memory.leave(head.start_ticks); // this thread is the first
  head.state.store(SectionState::running);
  return true;
}

void entered() {
  auto& own = PerThread<ThreadCalls>::own();
  if (++own.depth > ThreadCalls::depth_max)
    return;
  Event& call = own.calls[own.depth - 1];
  call = {};
  call.begin = observe::ticks();
  call.kind = static_cast<std::uint64_t>(EventKind::call);
  if (own.depth == 1)
    event_memory().enter(call.begin);
}

void is_call(observe::CallRow& row, std::uint64_t bytes) {
  Event* const call = innermost();
  if (call == nullptr)
    return;
  call->call = number_of(row);
  call->bytes = bytes;
  if (PerThread<ThreadCalls>::here().depth == 1)
    event_memory().name_open_call(call->call);
}

void is_collective(observe::CallRow& row, CommunicatorState& communicator, std::uint64_t bytes) {
  is_call(row, bytes);
  const std::uint32_t sequence = ++communicator.timeline_calls;
  if (Event* const call = innermost()) {
    call->kind = static_cast<std::uint64_t>(EventKind::collective);
    call->communicator = number_of(communicator);
    call->sequence = communicator.inter ? 0 : sequence;
  }
}

void ended(const CallEvent& event) {
  Event* const call = innermost();
  if (call == nullptr)
    return;
  call->end = observe::ticks(); // to take the rest down takes none of the call's time
  std::visit(Content{*call, event.communicator}, event.content);
}

void left() {
  auto& own = PerThread<ThreadCalls>::own();
  if (Event* const call = innermost(); call != nullptr) {
    if (call->end == 0)
      call->end = observe::ticks();
    if (call->call != 0)
      event_memory().append(*call);
    if (own.depth == 1)
      event_memory().leave(call->end);
  }
  own.depth -= own.depth == 0 ? 0 : 1;
}

void left_by_jump() {
  auto& own = PerThread<ThreadCalls>::own();
  while (own.depth > 0)
    left();
}

} // namespace thalweg::mpi::timeline
