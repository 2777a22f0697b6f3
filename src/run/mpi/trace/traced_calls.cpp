// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/trace/traced_calls.hpp"

#include "base/of_process.hpp"
#include "mpi/call/sides.hpp"
#include "mpi/choose/tuned_choices.hpp"
#include "mpi/run/neighbors.hpp"
#include "mpi/trace/call_log.hpp"
#include "mpi/trace/traced_requests.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace thalweg::mpi {

namespace {

using pattern::TracedCall;
using pattern::TracedKind;

// Messages of neighborhood collectives; programs may use it too, on communicators without neighbors.
constexpr int neighbor_tag = 0x7fffffff;

// Nothing for MPI_PROC_NULL, and for processes beyond the world.
std::optional<TracedCall> send_of(CommunicatorState& communicator, const SendArguments& send) {
  if (send.to == MPI_PROC_NULL)
    return std::nullopt;
  const std::int32_t peer = communicator.world_rank_of(send.to);
  if (peer < 0) {
    call_log().count_lack("messages to processes beyond the world");
    return std::nullopt;
  }
  TracedCall call;
  call.kind = TracedKind::send;
  call.is_synchronous = send.is_synchronous;
  call.communicator = call_log().number_of(communicator);
  call.peer = peer;
  call.tag = send.tag;
  call.bytes = send.bytes;
  return call;
}

std::optional<TracedCall> receive_of(CommunicatorState& communicator, const ReceiveArguments& receive) {
  if (receive.from == MPI_PROC_NULL)
    return std::nullopt;
  const bool is_any = receive.from == MPI_ANY_SOURCE;
  const std::int32_t peer = is_any ? pattern::any_message : communicator.world_rank_of(receive.from);
  if (!is_any && peer < 0) {
    call_log().count_lack("messages from processes beyond the world");
    return std::nullopt;
  }
  TracedCall call;
  call.kind = TracedKind::receive;
  call.communicator = call_log().number_of(communicator);
  call.peer = peer;
  call.tag = receive.tag == MPI_ANY_TAG ? pattern::any_message : receive.tag;
  return call;
}

bool asks_for_any(const TracedCall& call) {
  return call.kind == TracedKind::receive &&
         (call.peer == pattern::any_message || call.tag == pattern::any_message);
}

ReceiveArguments as_received(const ReceiveArguments& receive, const MPI_Status& status) {
  return receive.from == MPI_PROC_NULL ? receive : ReceiveArguments{status.MPI_SOURCE, status.MPI_TAG};
}

// Calls that are all begun, and then waited for.
void append_and_wait(std::vector<TracedCall> calls) {
  if (calls.empty())
    return;
  CallLog& log = call_log();
  const std::int32_t number = log.take_request();
  for (TracedCall& call : calls) {
    call.request = number;
    log.append(call);
  }
  TracedCall wait;
  wait.completed.push_back({number});
  log.append(wait);
  log.give_request_back(log.thread_log(), number);
}

struct FoundMessages {
  std::mutex mutex;
  std::map<MPI_Message, MPI_Comm> messages;
};

FoundMessages& found_messages() {
  return of_process<FoundMessages>();
}

} // namespace

void trace_message(CommunicatorState& communicator, const MessageCall& message) {
  std::vector<TracedCall> calls;
  const auto add = [&](std::optional<TracedCall> call) {
    if (call)
      calls.push_back(std::move(*call));
  };
  if (message.receives) {
    const bool has_ended = message.status != nullptr;
    add(receive_of(communicator,
                   has_ended ? as_received(*message.receives, *message.status) : *message.receives));
  }
  if (message.sends)
    add(send_of(communicator, *message.sends));
  if (message.request != nullptr && !calls.empty()) {
    const bool asks = std::ranges::any_of(calls, asks_for_any);
    trace_request(std::move(calls), *message.request, message.is_persistent, asks ? &communicator : nullptr);
  } else if (message.sends && message.receives) {
    append_and_wait(std::move(calls));
  } else {
    for (const TracedCall& call : calls)
      call_log().append(call);
  }
}

void trace_neighbors(CommunicatorState& communicator, const std::vector<NeighborMessage>& sent,
                     const std::vector<std::int32_t>& sources, const MPI_Request* request,
                     bool is_persistent) {
  std::vector<TracedCall> calls;
  TracedCall call;
  call.communicator = call_log().number_of(communicator);
  call.tag = neighbor_tag;
  call.kind = TracedKind::receive;
  for (const std::int32_t source : sources) {
    call.peer = source;
    calls.push_back(call);
  }
  call.kind = TracedKind::send;
  for (const NeighborMessage& one : sent) {
    call.peer = one.peer;
    call.bytes = one.bytes;
    calls.push_back(call);
  }
  if (request == nullptr)
    append_and_wait(std::move(calls));
  else if (!calls.empty())
    trace_request(std::move(calls), *request, is_persistent);
}

void trace_found(CommunicatorState& communicator, MPI_Message message) {
  FoundMessages& all = found_messages();
  const std::lock_guard lock(all.mutex);
  all.messages.insert_or_assign(message, communicator.handle);
}

CommunicatorState* traced_finder(MPI_Message message) {
  FoundMessages& all = found_messages();
  MPI_Comm comm = MPI_COMM_NULL;
  {
    const std::lock_guard lock(all.mutex);
    const auto found = all.messages.find(message);
    if (found == all.messages.end())
      return nullptr;
    comm = found->second;
    all.messages.erase(found);
  }
  return find_communicator(comm);
}

namespace {

using pattern::TracedCall;
using pattern::TracedKind;

std::vector<std::uint64_t> row_of(const Side& side) {
  std::vector<std::uint64_t> row;
  for (int block = 0; block < side.blocks; ++block)
    row.push_back(side.bytes_of(block));
  return row;
}

// Sizes, of blocks that differ by rank, or of all alike.
void set_bytes(TracedCall& traced, const CollectiveCall& call, const CommunicatorState& communicator) {
  const Sides sides = sides_of(call, ranks_of(communicator));
  const bool sends_row = sides.is_given_by_rank && sides.gives.is_significant;
  const bool receives_row = sides.is_taken_by_rank && sides.takes.is_significant;
  if (operation_shape(call.function->operation).are_sizes_agreed || !(sends_row || receives_row)) {
    traced.bytes = sides.unit_bytes();
    return;
  }
  if (sends_row)
    traced.sent = row_of(sides.gives);
  if (receives_row)
    traced.received = row_of(sides.takes);
}

void append(TracedCall traced, const CollectiveCall& call) {
  if (call.function->mode == Mode::blocking)
    call_log().append(traced);
  else
    trace_request({std::move(traced)}, *call.request, call.function->mode == Mode::persistent);
}

void trace_neighborhood(const CollectiveCall& call, CommunicatorState& communicator) {
  const auto all = neighborhoods(communicator);
  const schedule::Neighborhood& own = (*all)[static_cast<std::size_t>(communicator.rank)];
  std::vector<NeighborMessage> sent;
  visit_blocks_to_neighbors(call, communicator, own.destinations, [&](int destination, std::uint64_t bytes) {
    if (const std::int32_t peer = communicator.world_rank_of(destination); peer >= 0)
      sent.push_back({peer, bytes});
  });
  std::vector<std::int32_t> sources;
  for (const Rank source : own.sources)
    if (const std::int32_t peer = communicator.world_rank_of(source); peer >= 0)
      sources.push_back(peer);
  const Mode mode = call.function->mode;
  trace_neighbors(communicator, sent, sources, mode == Mode::blocking ? nullptr : call.request,
                  mode == Mode::persistent);
}

bool is_within_world(const CommunicatorState& communicator) {
  for (int rank = 0; rank < communicator.size; ++rank)
    if (communicator.world_rank_of(rank) < 0)
      return false;
  return true;
}

} // namespace

void trace_collective(const CollectiveCall& call, CommunicatorState& communicator,
                      const char* implementation) {
  if (communicator.inter || !is_within_world(communicator))
    return call_log().count_lack(communicator.inter ? "collectives of intercommunicators"
                                                    : "collectives with processes beyond the world");
  if (is_among_neighbors(call.function->operation))
    return trace_neighborhood(call, communicator);
  TracedCall traced;
  traced.kind = TracedKind::collective;
  traced.communicator = call_log().number_of(communicator);
  traced.operation = call_name(call.function->operation);
  traced.peer = is_rooted(call.function->operation) ? call.root : 0;
  traced.implementation = std::string(implementation).starts_with("library:") ? "native" : implementation;
  set_bytes(traced, call, communicator);
  append(std::move(traced), call);
}

void trace_meeting(CommunicatorState& communicator) {
  if (communicator.inter || !is_within_world(communicator))
    return;
  trace_meeting(call_log().number_of(communicator));
}

void trace_meeting(std::uint32_t communicator) {
  TracedCall traced;
  traced.kind = TracedKind::collective;
  traced.communicator = communicator;
  traced.operation = call_name(Operation::barrier);
  traced.implementation = "native";
  call_log().append(traced);
}

} // namespace thalweg::mpi
