// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/buffer_needs.hpp"
#include "mpi/call/operators.hpp"
#include "mpi/call/sides.hpp"
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

bool is_sound_side(const Side& side, SideShape::Sizes sizes) {
  switch (sizes) {
  case SideShape::Sizes::count:
    return side.count >= 0 && is_valid_type(side.type);
  case SideShape::Sizes::counts:
  case SideShape::Sizes::counts_in_a_row:
    return is_sound_array(side.counts, side.blocks) && is_valid_type(side.type);
  case SideShape::Sizes::counts_and_types:
    return is_sound_array(side.counts, side.blocks) && (side.blocks == 0 || side.types != nullptr) &&
           are_sound_types(side.types, side.counts, side.blocks);
  }
  return false;
}

bool is_sound_reduction(const CollectiveCall& call, const CommunicatorState& communicator) {
  if (!is_valid_reduction(call.op, call.recvtype))
    return false;
  return call.function->operation == Operation::reduce_scatter
             ? is_sound_array(call.recvcounts, communicator.size)
             : call.recvcount >= 0;
}

// MPI_IN_PLACE stands for the buffer that a rank reads, or that a scatter's root writes, where it has both.
bool is_in_place_rightly(const CollectiveCall& call, bool at_root) {
  const bool sends = is_in_place(call);
  const bool receives = call.recvbuf == MPI_IN_PLACE;
  switch (operation_shape(call.function->operation).in_place) {
  case OperationShape::InPlace::nowhere:
    return !sends && !receives;
  case OperationShape::InPlace::given:
    return !receives;
  case OperationShape::InPlace::given_by_root:
    return at_root ? !receives : !sends;
  case OperationShape::InPlace::taken_by_root:
    return at_root ? !sends : !receives;
  }
  return false;
}

} // namespace

bool is_sound(const CollectiveCall& call, CommunicatorState& communicator) {
  if (communicator.inter)
    return true; // the library's own business anyway
  const Operation operation = call.function->operation;
  const OperationShape& shape = operation_shape(operation);
  if (is_rooted(shape) && (call.root < 0 || call.root >= communicator.size))
    return false;
  if (is_reduction(operation))
    return is_sound_reduction(call, communicator);
  if (!is_in_place_rightly(call, communicator.rank == call.root))
    return false;
  const CallRanks ranks = ranks_of(operation, communicator);
  const Side gives = given_arguments(call, ranks);
  const Side takes = taken_arguments(call, ranks);
  return (!gives.is_significant || is_sound_side(gives, shape.gives.sizes)) &&
         (!takes.is_significant || is_sound_side(takes, shape.takes.sizes));
}

bool has_sound_buffers(const CollectiveCall& call, CommunicatorState& communicator) {
  if (communicator.inter || call.function->operation == Operation::barrier)
    return true;
  if (!is_in_place_rightly(call, communicator.rank == call.root))
    return false;
  const CallRanks ranks = ranks_of(call.function->operation, communicator);
  return buffer_needs(call, ranks).are_met(call.sendbuf, call.recvbuf);
}

const char* objection(const CollectiveCall& call, CommunicatorState& communicator) {
  if (communicator.inter)
    return "an intercommunicator";
  if (communicator.size == 1)
    return "one rank alone";
  if (!communicator.is_open())
    return communicator.why_no_channels != nullptr ? communicator.why_no_channels
                                                   : "no communicator for the engine";
  if (is_reduction(call.function->operation)) {
    const bool lasts = is_predefined_operation(call.op) || name_of_operator(call.op) != nullptr;
    if (call.function->mode != Mode::blocking && !lasts)
      return "a user operator that might be freed while at work";
    if (!are_elements_regular(call.recvtype))
      return "elements that reach outside of their extent";
  }
  if (runtime.gpu.leaves_data && call.function->operation != Operation::barrier)
    return "buffers that may be in a GPU's memory";
  if (is_among_neighbors(call.function->operation))
    return neighborhood_objection(communicator);
  return nullptr;
}

} // namespace thalweg::mpi
