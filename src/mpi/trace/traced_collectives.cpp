#include "mpi/trace/traced_collectives.hpp"

#include <string>

#include "mpi/call/datatypes.hpp"
#include "mpi/choose/choice.hpp"
#include "mpi/record/library_model.hpp"
#include "mpi/run/neighbors.hpp"
#include "mpi/trace/call_log.hpp"
#include "mpi/trace/traced_messages.hpp"
#include "mpi/trace/traced_requests.hpp"

namespace thalweg::mpi {

namespace {

using pattern::TracedCall;
using pattern::TracedKind;

using Row = std::vector<std::uint64_t>;
using BytesOf = std::uint64_t (*)(const CollectiveCall& call, std::size_t index);

Row row_of(const CollectiveCall& call, int ranks, BytesOf bytes) {
  Row row;
  for (int rank = 0; rank < ranks; ++rank)
    row.push_back(bytes(call, static_cast<std::size_t>(rank)));
  return row;
}

// Sizes, of blocks that differ by rank, or of all alike.
void set_bytes(TracedCall& traced, const CollectiveCall& call, CommunicatorState& communicator) {
  const bool is_root = communicator.rank == call.root;
  switch (call.function->operation) {
  case Operation::alltoallv:
  case Operation::alltoallw:
    traced.sent = row_of(call, communicator.size, bytes_to);
    traced.received = row_of(call, communicator.size, bytes_from);
    return;
  case Operation::gatherv:
    if (is_root)
      traced.received = row_of(call, communicator.size, bytes_from);
    else
      traced.bytes = bytes_of(call.sendcount, call.sendtype);
    return;
  case Operation::scatterv:
    if (is_root)
      traced.sent = row_of(call, communicator.size, bytes_to);
    else
      traced.bytes = bytes_of(call.recvcount, call.recvtype);
    return;
  case Operation::alltoall:
    traced.bytes = bytes_to(call, 0);
    return;
  default:
    traced.bytes = unit_bytes(call, communicator, payload_bytes(call, communicator));
  }
}

bool has_root(Operation operation) {
  switch (operation) {
  case Operation::bcast:
  case Operation::reduce:
  case Operation::gather:
  case Operation::gatherv:
  case Operation::scatter:
  case Operation::scatterv:
    return true;
  default:
    return false;
  }
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
  const bool is_gather = call.function->operation == Operation::neighbor_allgather ||
                         call.function->operation == Operation::neighbor_allgatherv;
  std::vector<NeighborMessage> sent;
  for (std::size_t index = 0; index < own.destinations.size(); ++index)
    if (const std::int32_t peer = communicator.world_rank_of(own.destinations[index]); peer >= 0)
      sent.push_back({peer, is_gather ? bytes_of(call.sendcount, call.sendtype) : bytes_to(call, index)});
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
  if (call.function->operation >= Operation::neighbor_allgather)
    return trace_neighborhood(call, communicator);
  TracedCall traced;
  traced.kind = TracedKind::collective;
  traced.communicator = call_log().number_of(communicator);
  traced.operation = call_name(call.function->operation);
  traced.peer = has_root(call.function->operation) ? call.root : 0;
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
