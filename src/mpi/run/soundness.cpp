#include "mpi/call/datatypes.hpp"
#include "mpi/call/exactness.hpp"
#include "mpi/call/named_operators.hpp"
#include "mpi/run/call_binding.hpp"
#include "mpi/run/neighbors.hpp"
#include "mpi/state/runtime.hpp"

namespace thalweg::mpi {

namespace {

bool is_sound_array(const IntegerArray& counts, int units) {
  if (!counts)
    return units == 0;
  for (int u = 0; u < units; ++u)
    if (counts[static_cast<std::size_t>(u)] < 0)
      return false;
  return true;
}

// Whether a side with one datatype, or with an array of them, can be read.
bool is_sound_side(std::int64_t count, const IntegerArray& counts, MPI_Datatype type,
                   const MPI_Datatype* types, bool varied, int units) {
  if (types != nullptr)
    return is_sound_array(counts, units);
  if (type == MPI_DATATYPE_NULL)
    return false;
  return varied ? is_sound_array(counts, units) : count >= 0;
}

} // namespace

bool is_sound(const CollectiveCall& call, const CommunicatorState& communicator) {
  const schedule::Operation operation = schedule_operation(call.function->operation);
  const bool at_root = communicator.rank == call.root;
  if (schedule::is_rooted(operation) && (call.root < 0 || call.root >= communicator.size))
    return false;
  if (is_reduction(call.function->operation)) {
    if (call.op == MPI_OP_NULL || call.recvtype == MPI_DATATYPE_NULL)
      return false;
    return call.function->operation == Operation::reduce_scatter
               ? is_sound_array(call.recvcounts, communicator.size)
               : call.recvcount >= 0;
  }
  if (operation == schedule::Operation::barrier)
    return true;
  const bool neighbors = operation == schedule::Operation::neighbor_allgather ||
                         operation == schedule::Operation::neighbor_alltoall;
  if (neighbors)
    return true; // counts are as many as neighbors; the library's own check is as far as anyone gets
  const bool in_place = is_in_place(call);
  const bool reads_send = operation != schedule::Operation::broadcast && !in_place &&
                          (operation != schedule::Operation::scatter || at_root);
  const bool reads_receive =
      call.recvbuf != MPI_IN_PLACE && (operation != schedule::Operation::gather || at_root);
  const bool sends_varied =
      call.function->operation == Operation::scatterv || call.function->operation == Operation::alltoallv;
  const bool receives_varied = call.function->operation == Operation::gatherv ||
                               call.function->operation == Operation::allgatherv ||
                               call.function->operation == Operation::alltoallv;
  if (reads_send && !is_sound_side(call.sendcount, call.sendcounts, call.sendtype, call.sendtypes,
                                   sends_varied, communicator.size))
    return false;
  return !reads_receive || is_sound_side(call.recvcount, call.recvcounts, call.recvtype, call.recvtypes,
                                         receives_varied, communicator.size);
}

const char* objection(const CollectiveCall& call, CommunicatorState& communicator) {
  if (communicator.inter)
    return "an intercommunicator";
  if (communicator.size == 1)
    return "one rank alone";
  if (!communicator.channels)
    return communicator.why_no_channels != nullptr ? communicator.why_no_channels
                                                   : "no communicator for the engine";
  if (call.function->mode != Mode::blocking && runtime.executes_in_progress &&
      !communicator.channels->has_shared_memory())
    return "no shared memory, without which operations in flight do not progress";
  if (is_reduction(call.function->operation)) {
    const bool lasts = is_predefined_operation(call.op) || name_of_operator(call.op) != nullptr;
    if (call.function->mode != Mode::blocking && !lasts)
      return "a user operator that might be freed while at work";
    if (!are_elements_regular(call.recvtype))
      return "elements that reach outside of their extent";
  }
  const schedule::Operation operation = schedule_operation(call.function->operation);
  if (!runtime.device_memory.empty() && operation != schedule::Operation::barrier)
    return "buffers that may be in a GPU's memory";
  if (operation == schedule::Operation::neighbor_allgather ||
      operation == schedule::Operation::neighbor_alltoall)
    return neighborhood_objection(communicator);
  return nullptr;
}

} // namespace thalweg::mpi
