// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/sides.hpp"

#include "base/assertion.hpp"

namespace thalweg::mpi {

namespace {

using Ranks = SideShape::Ranks;
using Blocks = SideShape::Blocks;
using Sizes = SideShape::Sizes;

// Between two groups, the root's own group but for the root says MPI_PROC_NULL, and has no part.
bool has(Ranks which, const OperationShape& shape, const CollectiveCall& call, const CallRanks& ranks) {
  if (which == Ranks::none)
    return false;
  if (!is_rooted(shape))
    return true;
  if (which == Ranks::root)
    return is_at_root(call, ranks);
  if (ranks.inter)
    return call.root >= 0;
  return which == Ranks::all || !is_at_root(call, ranks);
}

int blocks_of(Blocks blocks, const CallRanks& ranks) {
  switch (blocks) {
  case Blocks::one:
    return 1;
  case Blocks::by_rank:
    return ranks.others();
  case Blocks::by_own_group:
    return ranks.size;
  case Blocks::by_source:
    return ranks.sources;
  case Blocks::by_destination:
    return ranks.destinations;
  }
  return 0;
}

// What the send arguments, or the receive arguments, say; rows of counts are the receive arguments of both.
Side side_of(const SideShape& side, const CollectiveCall& call, const CallRanks& ranks, bool is_given) {
  Side result;
  result.is_significant = has(side.ranks, operation_shape(call.function->operation), call, ranks);
  result.blocks = blocks_of(side.blocks, ranks);
  result.buffer = is_given ? call.sendbuf : call.recvbuf;
  result.count = is_given ? call.sendcount : call.recvcount;
  result.type = is_given ? call.sendtype : call.recvtype;
  switch (side.sizes) {
  case Sizes::count:
    break;
  case Sizes::counts_in_a_row:
    result.counts = call.recvcounts;
    result.type = call.recvtype;
    result.first = side.blocks == Blocks::one ? ranks.rank : 0;
    break;
  case Sizes::counts_and_types:
    result.types = is_given ? call.sendtypes : call.recvtypes;
    [[fallthrough]];
  case Sizes::counts:
    result.counts = is_given ? call.sendcounts : call.recvcounts;
    result.displacements = is_given ? call.senddispls : call.recvdispls;
    break;
  }
  return result;
}

// A vector is where the result is to be; one of the blocks of all is in its place among them. `other` is
// significant.
Side in_place_of(const Side& asked, const Side& other, const SideShape& shape, bool is_vector, int rank) {
  THALWEG_ASSERT(light, other.is_significant && !asked.is_significant);
  if (!is_vector)
    return shape.blocks == Blocks::one ? own_block(other, rank) : other;
  Side result = asked;
  result.buffer = other.buffer;
  result.is_significant = true;
  return result;
}

} // namespace

CallRanks ranks_of(Operation operation, CommunicatorState& communicator) {
  CallRanks ranks = ranks_of(communicator);
  if (is_among_neighbors(operation)) {
    ranks.sources = communicator.degrees().in;
    ranks.destinations = communicator.degrees().out;
  }
  return ranks;
}

bool is_at_root(const CollectiveCall& call, const CallRanks& ranks) {
  return ranks.inter ? call.root == MPI_ROOT : call.root == ranks.rank;
}

Side own_block(const Side& row, int rank) {
  THALWEG_ASSERT(light, rank >= 0 && rank < row.blocks);
  Side own = row;
  own.blocks = 1;
  own.place = row.displacements ? row.displacements[static_cast<std::size_t>(rank)] : rank * row.count;
  own.first = rank;
  return own;
}

std::uint64_t Side::bytes() const {
  if (!counts)
    return mpi::bytes_of(count * blocks, type);
  if (types == nullptr) {
    MPI_Count all = 0;
    for (int block = 0; block < blocks; ++block)
      all += count_of(block);
    return mpi::bytes_of(all, type);
  }
  std::uint64_t all = 0;
  for (int block = 0; block < blocks; ++block)
    all += bytes_of(block);
  return all;
}

Side given_arguments(const CollectiveCall& call, const CallRanks& ranks) {
  Side side = side_of(operation_shape(call.function->operation).gives, call, ranks, true);
  side.is_significant = side.is_significant && side.buffer != MPI_IN_PLACE;
  return side;
}

Side taken_arguments(const CollectiveCall& call, const CallRanks& ranks) {
  Side side = side_of(operation_shape(call.function->operation).takes, call, ranks, false);
  side.is_significant = side.is_significant && side.buffer != MPI_IN_PLACE;
  return side;
}

Sides sides_of(const CollectiveCall& call, const CallRanks& ranks) {
  THALWEG_ASSERT(light, ranks.rank >= 0 && ranks.rank < ranks.size && ranks.inter == (ranks.remote_size > 0));
  const OperationShape& shape = operation_shape(call.function->operation);
  Sides sides{.gives = given_arguments(call, ranks),
              .takes = taken_arguments(call, ranks),
              .is_given_by_rank = shape.gives.is_by_rank(),
              .is_taken_by_rank = shape.takes.is_by_rank()};
  const bool is_vector = is_reduction(call.function->operation);
  if (ranks.inter)
    return sides;
  if (call.sendbuf == MPI_IN_PLACE && sides.takes.is_significant)
    sides.gives = in_place_of(sides.gives, sides.takes, shape.gives, is_vector, ranks.rank);
  if (call.recvbuf == MPI_IN_PLACE && sides.gives.is_significant)
    sides.takes = in_place_of(sides.takes, sides.gives, shape.takes, is_vector, ranks.rank);
  return sides;
}

std::uint64_t payload_bytes(const CollectiveCall& call, const CallRanks& ranks) {
  const Sides sides = sides_of(call, ranks);
  const bool is_gathered_here = is_rooted(call.function->operation) && sides.is_taken_by_rank;
  const Side& side = sides.gives.is_significant && !(is_gathered_here && sides.takes.is_significant)
                         ? sides.gives
                         : sides.takes;
  return side.is_significant ? side.bytes() : 0;
}

} // namespace thalweg::mpi
