// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/call_binding.hpp"

#include "mpi/call/gpu_memory.hpp"
#include "mpi/call/sides.hpp"
#include "mpi/run/neighbors.hpp"

namespace thalweg::mpi {

namespace {

using Purpose = BufferBinding::Purpose;
using Sizes = SideShape::Sizes;

BufferBinding binding_of(const Side& side, const SideShape& shape, Purpose purpose) {
  // What a rank gives is not written, though the engine takes plain pointers.
  auto* const begin = static_cast<std::byte*>(const_cast<void*>(side.buffer));
  const bool is_one_block = shape.blocks == SideShape::Blocks::one;
  if (is_one_block || shape.sizes == Sizes::count) {
    std::byte* const address = side.place == 0 ? begin : begin + side.place * shape_of(side.type).extent;
    return BufferBinding::uniform(address, side.blocks, is_one_block ? side.count_of(0) : side.count,
                                  side.type, purpose);
  }
  switch (shape.sizes) {
  case Sizes::counts_in_a_row:
    return BufferBinding::row(begin, side.blocks, side.counts, side.type);
  case Sizes::counts_and_types:
    return BufferBinding::mixed(begin, side.blocks, side.counts, side.displacements, side.types);
  default:
    return BufferBinding::varied(begin, side.blocks, side.counts, side.displacements, side.type);
  }
}

bool has_equal_counts(const Side& side) {
  for (int block = 1; block < side.blocks; ++block)
    if (side.count_of(block) != side.count_of(0))
      return false;
  return true;
}

// Rows whose counts are all equal, as every rank sees, are as good as one count.
void make_uniform(Side& side, SideShape& shape) {
  side.count = side.count_of(0);
  side.counts = {};
  shape.sizes = Sizes::count;
}

} // namespace

CallBinding bind_call(const CollectiveCall& call, CommunicatorState& communicator) {
  const Operation operation = call.function->operation;
  OperationShape shape = operation_shape(operation);
  Sides sides = sides_of(call, communicator);
  CallBinding bound;
  bound.problem.operation = shape.schedule;
  bound.problem.ranks = communicator.size;
  bound.problem.root = is_rooted(shape) ? call.root : 0;
  bound.in_place = is_in_place(call) || call.recvbuf == MPI_IN_PLACE;
  if (is_reduction(operation))
    bound.type = call.recvtype;
  if (is_among_neighbors(operation))
    bound.problem.neighborhoods = neighborhoods(communicator);
  if (shape.gives.sizes == Sizes::counts_in_a_row && has_equal_counts(sides.gives)) {
    make_uniform(sides.gives, shape.gives);
    make_uniform(sides.takes, shape.takes);
  }
  const Purpose purpose = is_reduction(operation) ? Purpose::reduction : Purpose::data;
  // The engine's broadcasts leave the root's data in the buffer that is the others' output.
  if (shape.schedule == schedule::Operation::broadcast) {
    bound.output = binding_of(sides.of_blocks(), shape.takes, purpose);
  } else {
    if (sides.gives.is_significant)
      bound.input = binding_of(sides.gives, shape.gives, purpose);
    if (sides.takes.is_significant)
      bound.output = binding_of(sides.takes, shape.takes, purpose);
  }
  bound.unequal = shape.gives.has_arrays() || shape.takes.has_arrays();
  if (bound.unequal && shape.are_sizes_agreed)
    bound.canonical_units = (sides.is_taken_by_rank ? bound.output : bound.input).counts();
  if (!bound.unequal && !is_among_neighbors(operation)) {
    const BufferBinding& unit = shape.takes.ranks == SideShape::Ranks::root ? bound.input : bound.output;
    bound.problem.unit_bytes = unit.unit_elements() * unit.element_bytes();
  }
  for (BufferBinding* binding : {&bound.input, &bound.output})
    if (binding->units() > 0 && may_be_on_gpu(binding->address()))
      binding->stage_always(); // the library packs and unpacks what only it may touch
  return bound;
}

} // namespace thalweg::mpi
