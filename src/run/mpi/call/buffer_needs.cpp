// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/buffer_needs.hpp"

#include "mpi/call/datatypes.hpp"

namespace thalweg::mpi {

namespace {

// Derived types may lie at absolute addresses, from MPI_BOTTOM.
bool is_wanted(MPI_Count count, MPI_Datatype type) {
  if (count <= 0)
    return false;
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  return native.Type_get_true_extent(type, &low, &extent) == MPI_SUCCESS && low == 0 &&
         datatype_bytes(type) > 0;
}

// Of blocks that differ, one that lies at the buffer's begin counts.
bool is_wanted(const Side& side) {
  if (!side.is_significant)
    return false;
  for (int block = 0; block < side.blocks; ++block)
    if ((!side.displacements || side.displacements[static_cast<std::size_t>(block)] == 0) &&
        is_wanted(side.count_of(block), side.type_of(block)))
      return true;
  return false;
}

bool has_elements(const Side& side) {
  for (int block = 0; block < side.blocks; ++block)
    if (side.count_of(block) > 0)
      return true;
  return false;
}

// The same array, and not one like it.
bool is_same(const IntegerArray& one, const IntegerArray& other) {
  return one.as<void>() == other.as<void>();
}

bool are_alike(const Side& one, const Side& other) {
  return one.type == other.type && one.types == other.types && one.count == other.count &&
         is_same(one.counts, other.counts) && (one.counts || one.count != 0);
}

// MPICH counts the sizes of types here, and not their extents.
std::ptrdiff_t offset_of(const Side& block) {
  return static_cast<std::ptrdiff_t>(block.place) * static_cast<std::ptrdiff_t>(datatype_bytes(block.type));
}

// What a rank sends itself is not where it receives that: `block` is what it has once, `row` what it has for
// each rank.
bool is_apart(const Side& block, const Side& row, const Side& own) {
  if (!row.counts)
    return are_alike(block, row);
  return block.type == row.type && block.count_of(0) != 0 && own.count_of(0) != 0;
}

BufferNeeds needs_in_mpich(const CollectiveCall& call, const CallRanks& ranks) {
  const OperationShape& shape = operation_shape(call.function->operation);
  const Side gives = given_arguments(call, ranks);
  const Side takes = taken_arguments(call, ranks);
  BufferNeeds needs{.send = is_wanted(gives), .receive = is_wanted(takes)};
  if (!gives.is_significant || !takes.is_significant || is_among_neighbors(call.function->operation))
    return needs;
  if (is_reduction(call.function->operation)) {
    needs.apart = has_elements(gives);
  } else if (shape.gives.is_by_rank() && shape.takes.is_by_rank()) {
    needs.apart = are_alike(gives, takes);
  } else if (shape.gives.is_by_rank()) {
    const Side own = own_block(gives, ranks.rank);
    needs.apart = is_apart(takes, gives, own);
    needs.send_offset = offset_of(own);
  } else {
    const Side own = own_block(takes, ranks.rank);
    needs.apart = is_apart(gives, takes, own);
    needs.receive_offset = offset_of(own);
  }
  return needs;
}

BufferNeeds needs_in_open_mpi(const CollectiveCall& call, const CallRanks& ranks) {
  if (call.function->operation == Operation::reduce)
    return {.apart = is_at_root(call, ranks) && call.recvcount > 0};
  if (call.function->operation == Operation::allreduce)
    return {.apart = call.recvcount > 1 && call.sendbuf != MPI_BOTTOM};
  return {};
}

} // namespace

BufferNeeds buffer_needs(const CollectiveCall& call, const CallRanks& ranks) {
  return own_family == Family::openmpi ? needs_in_open_mpi(call, ranks) : needs_in_mpich(call, ranks);
}

} // namespace thalweg::mpi
