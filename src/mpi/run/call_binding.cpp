#include "mpi/run/call_binding.hpp"

#include "mpi/call/device_memory.hpp"
#include "mpi/run/neighbors.hpp"

namespace thalweg::mpi {

namespace {

using Purpose = BufferBinding::Purpose;

// sendbuf is not written, though the engine takes plain pointers.
void* input_address(const CollectiveCall& call) {
  return const_cast<void*>(call.sendbuf);
}

void* offset(void* address, std::int64_t bytes) {
  return static_cast<std::byte*>(address) + bytes;
}

BufferBinding send_binding(const CollectiveCall& call, int units, Purpose purpose = Purpose::data) {
  return BufferBinding::uniform(input_address(call), units, call.sendcount, call.sendtype, purpose);
}

BufferBinding receive_binding(const CollectiveCall& call, int units, Purpose purpose = Purpose::data) {
  return BufferBinding::uniform(call.recvbuf, units, call.recvcount, call.recvtype, purpose);
}

BufferBinding varied_receive_binding(const CollectiveCall& call, int units) {
  return BufferBinding::varied(call.recvbuf, units, call.recvcounts, call.recvdispls, call.recvtype);
}

void bind_vector(CallBinding& bound, const CollectiveCall& call, const CommunicatorState& communicator) {
  bound.type = call.recvtype;
  const bool has_output = call.function->operation != Operation::reduce || communicator.rank == call.root;
  if (!is_in_place(call))
    bound.input = send_binding(call, 1, Purpose::reduction);
  else
    bound.input = receive_binding(call, 1, Purpose::reduction);
  if (has_output)
    bound.output = receive_binding(call, 1, Purpose::reduction);
  bound.problem.unit_bytes = call.recvcount * bound.input.element_bytes();
}

void bind_gather(CallBinding& bound, const CollectiveCall& call, const CommunicatorState& communicator) {
  const bool is_root = communicator.rank == call.root;
  const auto own = static_cast<std::size_t>(communicator.rank);
  bound.unequal = call.function->operation == Operation::gatherv;
  if (is_root)
    bound.output = bound.unequal ? varied_receive_binding(call, communicator.size)
                                 : receive_binding(call, communicator.size);
  if (!is_root || !is_in_place(call)) {
    bound.input = send_binding(call, 1);
  } else {
    const std::int64_t extent = shape_of(call.recvtype).extent;
    const std::int64_t count = bound.unequal ? call.recvcounts[own] : call.recvcount;
    const std::int64_t place = bound.unequal ? call.recvdispls[own] : communicator.rank * count;
    bound.input =
        BufferBinding::uniform(offset(call.recvbuf, place * extent), 1, count, call.recvtype, Purpose::data);
  }
  if (!bound.unequal)
    bound.problem.unit_bytes = bound.input.unit_elements();
}

void bind_scatter(CallBinding& bound, const CollectiveCall& call, const CommunicatorState& communicator) {
  const bool is_root = communicator.rank == call.root;
  const auto own = static_cast<std::size_t>(communicator.rank);
  bound.unequal = call.function->operation == Operation::scatterv;
  if (is_root)
    bound.input = bound.unequal ? BufferBinding::varied(input_address(call), communicator.size,
                                                        call.sendcounts, call.senddispls, call.sendtype)
                                : send_binding(call, communicator.size);
  if (!is_root || call.recvbuf != MPI_IN_PLACE) {
    bound.output = receive_binding(call, 1);
  } else {
    const std::int64_t extent = shape_of(call.sendtype).extent;
    const std::int64_t count = bound.unequal ? call.sendcounts[own] : call.sendcount;
    const std::int64_t place = bound.unequal ? call.senddispls[own] : communicator.rank * count;
    bound.output = BufferBinding::uniform(offset(input_address(call), place * extent), 1, count,
                                          call.sendtype, Purpose::data);
  }
  if (!bound.unequal)
    bound.problem.unit_bytes = bound.output.unit_elements();
}

void bind_allgather(CallBinding& bound, const CollectiveCall& call, const CommunicatorState& communicator) {
  const auto own = static_cast<std::size_t>(communicator.rank);
  bound.unequal = call.function->operation == Operation::allgatherv;
  bound.output = bound.unequal ? varied_receive_binding(call, communicator.size)
                               : receive_binding(call, communicator.size);
  if (!is_in_place(call)) {
    bound.input = send_binding(call, 1);
  } else {
    const std::int64_t extent = shape_of(call.recvtype).extent;
    const std::int64_t count = bound.unequal ? call.recvcounts[own] : call.recvcount;
    const std::int64_t place = bound.unequal ? call.recvdispls[own] : communicator.rank * count;
    bound.input =
        BufferBinding::uniform(offset(call.recvbuf, place * extent), 1, count, call.recvtype, Purpose::data);
  }
  if (bound.unequal)
    bound.canonical_units = bound.output.counts();
  else
    bound.problem.unit_bytes = bound.output.unit_elements();
}

void bind_alltoall(CallBinding& bound, const CollectiveCall& call, const CommunicatorState& communicator) {
  const int size = communicator.size;
  switch (call.function->operation) {
  case Operation::alltoall:
    bound.output = receive_binding(call, size);
    bound.input = is_in_place(call) ? bound.output : send_binding(call, size);
    bound.problem.unit_bytes = bound.output.unit_elements();
    return;
  case Operation::alltoallv:
    bound.output = varied_receive_binding(call, size);
    bound.input = is_in_place(call) ? bound.output
                                    : BufferBinding::varied(input_address(call), size, call.sendcounts,
                                                            call.senddispls, call.sendtype);
    break;
  default:
    bound.output = BufferBinding::mixed(call.recvbuf, size, call.recvcounts, call.recvdispls, call.recvtypes);
    bound.input = is_in_place(call) ? bound.output
                                    : BufferBinding::mixed(input_address(call), size, call.sendcounts,
                                                           call.senddispls, call.sendtypes);
  }
  bound.unequal = true;
}

// The array is the same on all ranks, so that all of them say the same.
bool has_equal_counts(const CollectiveCall& call, int ranks) {
  if (call.function->operation == Operation::reduce_scatter_block)
    return true;
  for (int rank = 1; rank < ranks; ++rank)
    if (call.recvcounts[static_cast<std::size_t>(rank)] != call.recvcounts[0])
      return false;
  return true;
}

void bind_reduce_scatter(CallBinding& bound, const CollectiveCall& call,
                         const CommunicatorState& communicator) {
  void* input = is_in_place(call) ? call.recvbuf : input_address(call);
  bound.type = call.recvtype;
  if (has_equal_counts(call, communicator.size)) {
    const bool is_array = call.function->operation == Operation::reduce_scatter;
    const std::int64_t count = is_array ? call.recvcounts[0] : call.recvcount;
    bound.input = BufferBinding::uniform(input, communicator.size, count, call.recvtype, Purpose::reduction);
    bound.output = BufferBinding::uniform(call.recvbuf, 1, count, call.recvtype, Purpose::reduction);
    bound.problem.unit_bytes = count * bound.output.element_bytes();
    return;
  }
  bound.input = BufferBinding::row(input, communicator.size, call.recvcounts, call.recvtype);
  bound.output =
      BufferBinding::uniform(call.recvbuf, 1, call.recvcounts[static_cast<std::size_t>(communicator.rank)],
                             call.recvtype, Purpose::reduction);
  bound.unequal = true;
  bound.canonical_units = bound.input.counts();
}

void bind_neighbors(CallBinding& bound, const CollectiveCall& call, CommunicatorState& communicator) {
  const int sources = communicator.indegree();
  const int destinations = communicator.outdegree();
  bound.problem.neighborhoods = neighborhoods(communicator);
  switch (call.function->operation) {
  case Operation::neighbor_allgather:
    bound.input = send_binding(call, 1);
    bound.output = receive_binding(call, sources);
    return;
  case Operation::neighbor_allgatherv:
    bound.input = send_binding(call, 1);
    bound.output = varied_receive_binding(call, sources);
    break;
  case Operation::neighbor_alltoall:
    bound.input = send_binding(call, destinations);
    bound.output = receive_binding(call, sources);
    return;
  case Operation::neighbor_alltoallv:
    bound.input = BufferBinding::varied(input_address(call), destinations, call.sendcounts, call.senddispls,
                                        call.sendtype);
    bound.output = varied_receive_binding(call, sources);
    break;
  default:
    bound.input = BufferBinding::mixed(input_address(call), destinations, call.sendcounts, call.senddispls,
                                       call.sendtypes);
    bound.output =
        BufferBinding::mixed(call.recvbuf, sources, call.recvcounts, call.recvdispls, call.recvtypes);
  }
  bound.unequal = true;
}

} // namespace

CallBinding bind_call(const CollectiveCall& call, CommunicatorState& communicator) {
  CallBinding bound;
  bound.problem.operation = schedule_operation(call.function->operation);
  bound.problem.ranks = communicator.size;
  bound.problem.root = schedule::is_rooted(bound.problem.operation) ? call.root : 0;
  bound.in_place = is_in_place(call) || call.recvbuf == MPI_IN_PLACE;
  switch (bound.problem.operation) {
  case schedule::Operation::barrier:
    break;
  case schedule::Operation::broadcast:
    bound.output = receive_binding(call, 1);
    bound.problem.unit_bytes = bound.output.unit_elements();
    break;
  case schedule::Operation::reduce:
  case schedule::Operation::allreduce:
  case schedule::Operation::scan:
  case schedule::Operation::exscan:
    bind_vector(bound, call, communicator);
    break;
  case schedule::Operation::gather:
    bind_gather(bound, call, communicator);
    break;
  case schedule::Operation::scatter:
    bind_scatter(bound, call, communicator);
    break;
  case schedule::Operation::allgather:
    bind_allgather(bound, call, communicator);
    break;
  case schedule::Operation::alltoall:
    bind_alltoall(bound, call, communicator);
    break;
  case schedule::Operation::reduce_scatter:
    bind_reduce_scatter(bound, call, communicator);
    break;
  case schedule::Operation::neighbor_allgather:
  case schedule::Operation::neighbor_alltoall:
    bind_neighbors(bound, call, communicator);
    break;
  }
  for (BufferBinding* binding : {&bound.input, &bound.output})
    if (binding->units() > 0 && may_be_on_device(binding->address()))
      binding->stage_always(); // the library packs and unpacks what only it may touch
  return bound;
}

} // namespace thalweg::mpi
