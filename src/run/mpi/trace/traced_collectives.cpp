// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/trace/traced_collectives.hpp"

#include <string>

#include "mpi/call/sides.hpp"
#include "mpi/choose/choice.hpp"
#include "mpi/run/neighbors.hpp"
#include "mpi/trace/call_log.hpp"
#include "mpi/trace/traced_messages.hpp"
#include "mpi/trace/traced_requests.hpp"

namespace thalweg::mpi {

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
