#include "mpi/call/buffer_needs.hpp"
#include "mpi/call/datatypes.hpp"
#include "mpi/call/exactness.hpp"
#include "mpi/call/named_operators.hpp"
#include "mpi/call/valid_reductions.hpp"
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

// Some programs give empty units no datatype.
bool are_sound_types(const MPI_Datatype* types, const IntegerArray& counts, int units) {
  for (int u = 0; u < units; ++u)
    if (counts[static_cast<std::size_t>(u)] > 0 && !is_valid_type(types[u]))
      return false;
  return true;
}

// One side of a call that moves data: with a count and a datatype, with an array of counts, or with arrays of
// both.
enum class Form { uniform, varied, mixed };

struct Side {
  std::int64_t count;
  const IntegerArray& counts;
  MPI_Datatype type;
  const MPI_Datatype* types;

  bool is_sound(Form form, int units) const {
    switch (form) {
    case Form::uniform:
      return count >= 0 && is_valid_type(type);
    case Form::varied:
      return is_sound_array(counts, units) && is_valid_type(type);
    case Form::mixed:
      return is_sound_array(counts, units) && (units == 0 || types != nullptr) &&
             are_sound_types(types, counts, units);
    }
    return false;
  }
};

Side sending_side(const CollectiveCall& call) {
  return {call.sendcount, call.sendcounts, call.sendtype, call.sendtypes};
}

Side receiving_side(const CollectiveCall& call) {
  return {call.recvcount, call.recvcounts, call.recvtype, call.recvtypes};
}

Form sending_form(Operation operation) {
  switch (operation) {
  case Operation::scatterv:
  case Operation::alltoallv:
  case Operation::neighbor_alltoallv:
    return Form::varied;
  case Operation::alltoallw:
  case Operation::neighbor_alltoallw:
    return Form::mixed;
  default:
    return Form::uniform;
  }
}

Form receiving_form(Operation operation) {
  switch (operation) {
  case Operation::gatherv:
  case Operation::allgatherv:
  case Operation::neighbor_allgatherv:
    return Form::varied;
  default:
    return operation == Operation::scatterv ? Form::uniform : sending_form(operation);
  }
}

bool is_sound_reduction(const CollectiveCall& call, const CommunicatorState& communicator) {
  if (!is_valid_reduction(call.op, call.recvtype))
    return false;
  return call.function->operation == Operation::reduce_scatter
             ? is_sound_array(call.recvcounts, communicator.size)
             : call.recvcount >= 0;
}

bool is_sound_among_neighbors(const CollectiveCall& call, CommunicatorState& communicator) {
  const Operation operation = call.function->operation;
  const bool gathers =
      operation == Operation::neighbor_allgather || operation == Operation::neighbor_allgatherv;
  return sending_side(call).is_sound(sending_form(operation), gathers ? 1 : communicator.outdegree()) &&
         receiving_side(call).is_sound(receiving_form(operation), communicator.indegree());
}

// MPI_IN_PLACE stands for the buffer that a rank reads, or that a scatter's root writes, where it has both.
bool is_in_place_rightly(const CollectiveCall& call, schedule::Operation operation, bool at_root) {
  const bool sends = is_in_place(call);
  const bool receives = call.recvbuf == MPI_IN_PLACE;
  switch (operation) {
  case schedule::Operation::gather:
  case schedule::Operation::reduce:
    return at_root ? !receives : !sends;
  case schedule::Operation::scatter:
    return at_root ? !sends : !receives;
  case schedule::Operation::neighbor_allgather:
  case schedule::Operation::neighbor_alltoall:
    return !sends && !receives;
  default:
    return !receives;
  }
}

} // namespace

bool is_sound(const CollectiveCall& call, CommunicatorState& communicator) {
  if (communicator.inter)
    return true; // the library's own business anyway
  const schedule::Operation operation = schedule_operation(call.function->operation);
  const bool at_root = communicator.rank == call.root;
  if (schedule::is_rooted(operation) && (call.root < 0 || call.root >= communicator.size))
    return false;
  if (operation == schedule::Operation::barrier)
    return true;
  if (!is_in_place_rightly(call, operation, at_root))
    return false;
  if (operation == schedule::Operation::neighbor_allgather ||
      operation == schedule::Operation::neighbor_alltoall)
    return is_sound_among_neighbors(call, communicator);
  if (is_reduction(call.function->operation)) {
    if (!is_sound_reduction(call, communicator))
      return false;
  } else {
    const bool reads_send = operation != schedule::Operation::broadcast && !is_in_place(call) &&
                            (operation != schedule::Operation::scatter || at_root);
    const bool reads_receive =
        call.recvbuf != MPI_IN_PLACE && (operation != schedule::Operation::gather || at_root);
    if (reads_send && !sending_side(call).is_sound(sending_form(call.function->operation), communicator.size))
      return false;
    if (reads_receive &&
        !receiving_side(call).is_sound(receiving_form(call.function->operation), communicator.size))
      return false;
  }
  return buffer_needs(call, communicator.rank).are_met(call.sendbuf, call.recvbuf);
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
